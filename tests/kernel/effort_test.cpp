#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <random>

#include "saltus/kernel/inputs.hpp"
#include "saltus/kernel/kernels.hpp"

namespace saltus {
namespace {

/// The outputs of a kernel at random inputs, as bits.
std::vector<std::uint64_t> outputs_of(Kernel kernel, const Layout& layout, std::size_t count, unsigned width) {
  std::mt19937_64 random(20240);
  std::uniform_real_distribution<double> value(0.1, 1.0);
  const auto array = [&](std::size_t size) {
    std::vector<double> values(size * width);
    for (double& v : values) v = value(random);
    return values;
  };
  const auto t = array(1), x = array(layout.N()), p = array(layout.parameter_inputs()),
             mode = array(layout.mode_size()), X = array(layout.N() * layout.columns());
  std::vector<double> out(count * width);
  kernel(t.data(), x.data(), p.data(), mode.data(), X.data(), out.data());
  std::vector<std::uint64_t> bits;
  for (const double v : out) bits.push_back(std::bit_cast<std::uint64_t>(v));
  return bits;
}

TEST(NativeCode, GivesTheSameBitsWhetherTheCodeOrItsCompilationIsToBeFast) {
  const auto model = read_model_file("examples/triple_pendulum_barrier.toml").model;
  ASSERT_TRUE(model);
  const Equations equations = equations_of(*model);
  std::vector<NamedProgram> programs;
  for (const Equations::Named& kernel : equations.kernels)
    if (!kernel.outputs.empty()) programs.push_back({kernel.name, lower(kernel.outputs, input_of)});
  for (const unsigned width : {1U, 4U}) {
    const NativeCode fast(programs, {}, width);
    const NativeCode quick(programs, {}, width, Processor::host, Effort::fast_compilation);
    for (const NamedProgram& named : programs) {
      const std::size_t count = named.program.outputs.size();
      const auto bits = outputs_of(fast.kernel(named.name), equations.layout, count, width);
      EXPECT_EQ(outputs_of(quick.kernel(named.name), equations.layout, count, width), bits)
          << named.name << ' ' << width;
    }
  }
}

}  // namespace
}  // namespace saltus
