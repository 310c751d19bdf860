#pragma once

#include <optional>
#include <span>
#include <vector>

#include "saltus/flow/mechanism.hpp"

namespace saltus {

/// A motion that is held where several switching surfaces meet, or on one whose force acts on its second derivative only: by
///   ẋ = Σ α_σ F_σ,  Σ α_σ = 1,
/// over all sides σ of the held switches, with the weights that keep every held function zero. A function in which the sides show up
/// after one differentiation has Σ α_σ ṡ_σ = 0; after two, ṡ = 0 as well and Σ α_σ s̈_σ = 0. docs/theory.md, "Events".
///
/// Only the surfaces themselves count: forces may contain roots of the held functions, which vanish on them and are steep everywhere
/// beside them. So the state is taken back onto the surfaces before the field is looked at, and each side's field is the mean of
/// those on both sides of them, where such roots, odd functions, are each other's negative.
///
/// The motion is held as long as zero lies in the hull of these rates. `gauge` < 1 inside: the hull must be stretched by it about
/// its middle for zero to lie on its edge.
class HeldField {
 public:
  /// The most switches that can hold a motion together: 2^most sides are looked at.
  static constexpr std::size_t most = 6;

  HeldField(const Mechanism& mechanism, const Mode& mode);

  /// Component i of one lane among others stands at data[i · stride].
  template <class Number>
  struct Strided {
    Number* data;
    std::size_t stride;
    Number& operator[](std::size_t i) const { return data[i * stride]; }
  };
  /// Writes what the kernels of sliding write: ẋ, the rates of the columns behind the state in y if they are wanted, λ and w.
  void write(double t, Strided<const double> y, Strided<double> out, bool with_columns) const;

  /// ẋ, λ and w, each the sum of those on all sides; the weight of the first held switch is (1 + gauge)/2, of the others ½.
  FieldValue at(double t, const Vector& x) const;
  const std::vector<Mode>& corners() const { return corners_; }
  double gauge(double t, const Vector& x) const;
  /// A short way off all held surfaces at once.
  Vector across(double t, const Vector& x) const;
  /// One force holds the motion, and no other: what the weights leave open does not change the field.
  bool is_determined(double t, const Vector& x) const;

  /// Has the held field a derivative at the state, along the surfaces? With roots of something else that vanishes there it has none:
  /// the held motion could not be followed.
  bool is_smooth(double t, const Vector& x) const;

  /// ṡ = 0 where the sides do not enter it: the surface is not just being passed. Measured by what they do in the time `scale`.
  bool rests_on_surfaces(double t, const Vector& x, double scale) const;

  /// Does the motion leave the surface of the only held function to this side, whatever roots of the function do beside it? Where it has
  /// come to the surface from there, it has done so by an error of its steps.
  bool is_left_to(double side, double t, const Vector& x) const;

  /// From an instant at which the hold ends: a time, not longer than the pace, during which it stays ended, as far as the state tells.
  std::optional<double> time_let_go(double t, const Vector& x, double pace) const;
  /// The side of the only held switch that the motion goes to when it is let go: its rate is what has become zero.
  std::optional<double> side_let_go(double t, const Vector& x) const;

  /// Rates of the tangent's columns, derivatives of the field along them: N × columns, rows of δq̇ included.
  Matrix column_rates(double t, const Vector& x, const Matrix& tangent) const;

  /// Gradients by x of what is zero while the motion is held, one row each: s of all held functions, then ṡ of those whose s̈ the
  /// sides enter.
  Matrix kept_gradients(double t, const Vector& x) const;
  /// Their derivatives by time, where the state stays.
  Vector kept_rates(double t, const Vector& x) const;

  /// Back onto the surfaces: s = 0, and ṡ = 0 where the sides enter s̈; the columns likewise.
  void project_state(double t, Vector& x) const;
  void project_columns(double t, const Vector& x, Matrix& tangent) const;

  /// The mode, held by these switches and no others. Each function is differentiated until the sides show up: twice where they change
  /// ṡ by less than they change s̈ in a small part of the time `scale`. Nothing if they do not show up by then, unless all of them come
  /// to rest on the surface.
  static std::optional<Mode> held_by(const Mechanism& mechanism, Mode mode, std::span<const std::size_t> switches,
                                     double t, const Vector& x, double scale);

 private:
  struct Sides;
  /// The sides enter the second derivative of switch k.
  bool is_second(std::size_t k) const { return row_of(mode_.switches()[k]).kept == Kept::value_and_rate; }
  Sides look(double t, const Vector& x) const;
  bool follows_kept(double t, const Vector& x) const;
  void clear_rests(double t, const Vector& x, Sides& sides) const;
  Vector sizes_of_rates(double t, const Vector& x, const Sides& sides) const;
  FieldValue side(double t, const Vector& x, const Mode& corner) const;
  Matrix gradients(double t, const Vector& x) const;
  Vector on_surfaces(double t, Vector x) const;
  Vector values(double t, const Vector& x) const;
  Vector function_rates(double t, const Vector& x) const;
  Vector constraints(double t, const Vector& x) const;
  double small_time(double t, const Vector& x) const;
  Vector along(double t, const Vector& x, const Vector& direction) const;
  template <class Function>
  Matrix differences(double t, const Vector& x, const Matrix& directions, Function value) const;

  const Mechanism& mechanism_;
  Mode mode_;
  std::vector<std::size_t> held_;  // whose sides are looked at
  std::vector<std::size_t>
      kept_;  // of them, whose functions are kept zero; one that is a root of others is so by itself
  std::vector<Mode> corners_;
};

}  // namespace saltus
