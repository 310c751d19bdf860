"""The library as others link it: installed into a prefix that is then moved, found by CMake, by pkg-config and, from the build folder, by
CMake; the program of the same prefix. SALTUS: the program of the build."""
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = Path(os.environ["SALTUS"]).resolve().parents[1]
OUTSIDE = Path(__file__).resolve().parent / "outside"
EXPONENTS = ["-0.500000", "-2.000000"]


def said(*command, **keywords):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **keywords)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


def environment(**more):
    """Without what could lead to another copy of Saltus."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("SALTUS", "LD_", "PKG_"))} | more


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="saltus install "))  # a blank in the name, too
        said("cmake", "--install", BUILD, "--prefix", cls.folder / "first")
        cls.prefix = cls.folder / "moved"
        (cls.folder / "first").rename(cls.prefix)
        cls.library = next(cls.prefix.glob("**/libsaltus.so")).parent

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def expect_spectrum(self, program, home, **more):
        """The numbers, and that every file of Saltus in the process is from `home`."""
        lines = said(program, env=environment(**more), cwd=self.folder).splitlines()
        self.assertEqual(lines[:2], EXPONENTS)
        files = {Path(line) for line in lines[2:] if line != str(program)}
        self.assertTrue(any(file.name == "saltus_codegen.so" for file in files), files)
        self.assertTrue(any(file.name.startswith("libsaltus.so.0") for file in files), files)
        for file in files:
            self.assertTrue(file.is_relative_to(home), f"{file} is not from {home}")

    def test_by_cmake_from_the_moved_prefix_for_this_processor(self):
        build = self.folder / "by cmake"
        said("cmake", "-S", OUTSIDE, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCMAKE_CXX_FLAGS=-march=native -DEIGEN_DONT_VECTORIZE",
             env=environment())
        said("cmake", "--build", build)
        self.expect_spectrum(build / "outside", self.prefix)

    @unittest.skipUnless(platform.machine() == "x86_64", "-mavx is an option of x86")
    def test_another_layout_of_vectors_is_refused(self):
        found = environment(PKG_CONFIG_PATH=str(self.library / "pkgconfig"))
        compiling = f'eval "g++ -std=c++20 -fsyntax-only -mavx \'{OUTSIDE}/spectrum.cpp\' $(pkg-config --cflags saltus)"'
        done = subprocess.run(["sh", "-c", compiling], env=found, capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("also -DEIGEN_DONT_VECTORIZE", done.stderr)

    def test_by_pkg_config_from_the_moved_prefix(self):
        found = environment(PKG_CONFIG_PATH=str(self.library / "pkgconfig"))
        # A prefix with a blank is quoted by pkg-config as a shell wants it.
        said("sh", "-c", f'eval "g++ -std=c++20 \'{OUTSIDE}/spectrum.cpp\' -o by_pkg_config $(pkg-config --cflags --libs saltus)"',
             env=found, cwd=self.folder)
        self.expect_spectrum(self.folder / "by_pkg_config", self.prefix, LD_LIBRARY_PATH=str(self.library))

    def test_by_cmake_from_the_build_folder(self):
        build = self.folder / "from build"
        said("cmake", "-S", OUTSIDE, "-B", build, f"-Dsaltus_DIR={BUILD}", env=environment())
        said("cmake", "--build", build)
        self.expect_spectrum(build / "outside", BUILD)

    def test_the_soname_is_that_of_the_interface(self):
        self.assertIn("Library soname: [libsaltus.so.0]", said("readelf", "-d", self.library / "libsaltus.so"))

    def test_the_program_of_the_moved_prefix_computes(self):
        program = self.prefix / "bin/saltus"
        ball = self.prefix / "share/saltus/examples/bouncing_ball.toml"
        # Natively: nothing but the module of this prefix may be what compiles.
        traced = subprocess.run([program, "simulate", ball, "--time", "1"], env=environment(LD_DEBUG="files"), capture_output=True, text=True,
                                check=True)
        module = next(self.prefix.glob("**/saltus_codegen.so"))
        self.assertIn(f"calling init: {module}", traced.stderr)
        self.assertIn("outcome  reached t = 1", traced.stdout)

    def test_no_header_of_the_code_generator_is_there(self):
        headers = {path.name for path in self.prefix.glob("include/saltus/**/*.hpp")}
        self.assertIn("saltus.hpp", headers)
        self.assertFalse({name for name in headers if name.startswith("ir_")})


if __name__ == "__main__":
    sys.exit(unittest.main())
