#include "saltus/flow/step_beside.hpp"

namespace saltus {

StepBeside::StepBeside(const Kernels& kernels, const LaneStepper& stepper)
    : n_(kernels.layout().n),
      N_(kernels.layout().N()),
      columns_(stepper.carries_tangent() ? kernels.layout().columns() : 0) {
  middle_.resize(stepper.components() * stepper.width());
  rate_.resize((stepper.rates() + kernels.layout().contacts + kernels.layout().switches) * stepper.width());
}

void StepBeside::operator()(LaneStepper& stepper, const std::array<double, 8>& delta) {
  const std::size_t width = stepper.width();
  std::array<double, 8> t{};
  bool any = false;
  for (std::size_t l = 0; l < width; ++l) {
    any = any || delta[l] != 0.0;
    t[l] = stepper.t(l) - 0.5 * delta[l];
  }
  if (!any) return;
  // The rates of component i; δq̇ = δv stands among the values.
  const auto rates_of = [&](std::size_t i, const double* values, const double* rates) {
    if (i < N_) return rates + i * width;
    return i < N_ + n_ * columns_ ? values + (i + n_ * columns_) * width : rates + (i - n_ * columns_) * width;
  };
  for (std::size_t i = 0; i < stepper.components(); ++i) {
    const double* const rates = rates_of(i, stepper.y_array(), stepper.rate_array());
    for (std::size_t l = 0; l < width; ++l) middle_[i * width + l] = stepper.y(i, l) + 0.5 * delta[l] * rates[l];
  }
  stepper.evaluate(t.data(), middle_.data(), rate_.data());
  for (std::size_t i = 0; i < stepper.components(); ++i) {
    const double* const rates = rates_of(i, middle_.data(), rate_.data());
    for (std::size_t l = 0; l < width; ++l)
      if (delta[l] != 0.0) stepper.y(i, l) += delta[l] * rates[l];
  }
  stepper.evaluate_state(stepper.t_array(), stepper.y_array(), rate_.data());
  for (std::size_t l = 0; l < width; ++l)
    for (std::size_t i = 0; i < N_ && delta[l] != 0.0; ++i) stepper.rate(i, l) = rate_[i * width + l];
}

}  // namespace saltus
