#include "saltus/base/module_file.hpp"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>

namespace saltus {
namespace {

namespace fs = std::filesystem;

/// The folder of the file that this code was loaded from; empty if it is not known.
fs::path own_folder() {
  static const char inside = 0;
  Dl_info symbol{};
  link_map* object = nullptr;
  std::error_code error;
  if (dladdr1(&inside, &symbol, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) == 0) return {};
  // The program itself has no name there, and dladdr tells how it was called.
  const bool is_program = object == nullptr || object->l_name == nullptr || *object->l_name == '\0';
  const fs::path file = fs::canonical(is_program ? "/proc/self/exe" : object->l_name, error);
  return error ? fs::path() : file.parent_path();
}

}  // namespace

std::vector<std::string> module_places(const std::string& file) {
  std::vector<std::string> places;
  if (const fs::path folder = own_folder(); !folder.empty()) {
    // Of a library: installed, and in the build folder. Of a program in bin/: likewise.
    for (const fs::path& near :
         {folder / "saltus", folder, folder.parent_path() / "lib" / "saltus", folder.parent_path() / "lib"})
      places.push_back((near / file).string());
  }
  places.push_back(file);
  return places;
}

}  // namespace saltus
