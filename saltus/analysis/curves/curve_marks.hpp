#pragma once

#include "saltus/analysis/curves/continuation.hpp"

namespace saltus {

/// A point of the curve at y with its tangent along a direction; nothing if there is none.
using PointAt = std::function<std::optional<CurvePoint>(const Eigen::VectorXd& y, const Eigen::VectorXd& along)>;

/// The mark at which a point lies to the last digit.
std::optional<std::size_t> mark_at(const Eigen::VectorXd& y, const std::vector<CurveMark>& marks);

/// The neighbours `after` of a point, in order, with the points at the marks between them: their unknown has exactly the wanted value. Between two of
/// them it is taken to change in one direction. A copy goes before a special point that lies at a mark itself.
std::vector<CurvePoint> with_marks(const CurveProblem& problem, const CurvePoint& from, std::vector<CurvePoint> after,
                                   const ContinuationOptions& options, const PointAt& point_at);

}  // namespace saltus
