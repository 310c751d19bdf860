#include "saltus/expr/parse.hpp"

#include <gtest/gtest.h>

#include "saltus/expr/evaluate.hpp"
#include "saltus/expr/print.hpp"
#include "tests/expr/read.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using test::read;

double parsed_value(std::string_view text) {
  Graph graph;
  return evaluate(read(graph, text), [](const std::string& name) {
    return name == "x" ? 3.0 : name == "y" ? 5.0 : name == "x'" ? 7.0 : 0.0;
  });
}

TEST(Parse, OperatorsBindAsInMathematics) {
  EXPECT_CLOSE(parsed_value("2 + 3*4"), 14.0, exact);
  EXPECT_CLOSE(parsed_value("2*3 + 4"), 10.0, exact);
  EXPECT_CLOSE(parsed_value("2*3^2"), 18.0, exact);
  EXPECT_CLOSE(parsed_value("10 - 3 - 2"), 5.0, exact);
  EXPECT_CLOSE(parsed_value("16/4/2"), 2.0, exact);
  EXPECT_CLOSE(parsed_value("16/4*2"), 8.0, exact);
  EXPECT_CLOSE(parsed_value("(2 + 3)*4"), 20.0, exact);
  EXPECT_CLOSE(parsed_value("2 - 3*x"), -7.0, exact);
}

TEST(Parse, PowersGroupToTheRightAndBindTighterThanMinus) {
  EXPECT_CLOSE(parsed_value("2^3^2"), 512.0, exact);
  EXPECT_CLOSE(parsed_value("(2^3)^2"), 64.0, exact);
  EXPECT_CLOSE(parsed_value("-2^2"), -4.0, exact);
  EXPECT_CLOSE(parsed_value("(-2)^2"), 4.0, exact);
  EXPECT_CLOSE(parsed_value("-x^2"), -9.0, exact);
  EXPECT_CLOSE(parsed_value("2^-1"), 0.5, exact);
  EXPECT_CLOSE(parsed_value("2^-x*16"), 2.0, exact);
  EXPECT_CLOSE(parsed_value("2*-3"), -6.0, exact);
  EXPECT_CLOSE(parsed_value("2 - -3"), 5.0, exact);
  EXPECT_CLOSE(parsed_value("+x - +y"), -2.0, exact);
}

TEST(Parse, NumbersAreReadInEveryUsualForm) {
  EXPECT_CLOSE(parsed_value("0.1"), 0.1, exact);
  EXPECT_CLOSE(parsed_value(".5"), 0.5, exact);
  EXPECT_CLOSE(parsed_value("2."), 2.0, exact);
  EXPECT_CLOSE(parsed_value("1e-3"), 1e-3, exact);
  EXPECT_CLOSE(parsed_value("1.5E+2"), 150.0, exact);
  EXPECT_CLOSE(parsed_value("  2\t*\n3 "), 6.0, exact);
}

TEST(Parse, NumbersAreMultipliedAndDividedAsWritten) {
  // 9 * (1/14) is another double than 9/14.
  ASSERT_NE(9.0 * (1.0 / 14.0), 9.0 / 14.0);
  Graph graph;
  const Expr expected = graph.constant(9.0 / 14.0) * graph.symbol("x");
  EXPECT_EQ(read(graph, "9/14*x"), expected);
  EXPECT_EQ(read(graph, "9*x/14"), expected);
  EXPECT_EQ(read(graph, "x*9/14"), expected);
  EXPECT_EQ(read(graph, "x/14*9"), graph.constant(1.0 / 14.0 * 9.0) * graph.symbol("x"));
}

TEST(Parse, APrimeAndDNameTheVelocity) {
  EXPECT_CLOSE(parsed_value("x'"), 7.0, exact);
  EXPECT_CLOSE(parsed_value("d(x)"), 7.0, exact);
  EXPECT_CLOSE(parsed_value("x'^2 + d( x )"), 56.0, exact);
  EXPECT_CLOSE(parsed_value("y*x'"), 35.0, exact);
}

TEST(Parse, NamesMayBeGreekAndHaveDigitsAndUnderscores) {
  Graph graph;
  EXPECT_EQ(read(graph, "ψ_1' + _a2"), graph.symbol("ψ_1'") + graph.symbol("_a2"));
  EXPECT_TRUE(is_name("ψ1"));
  EXPECT_TRUE(is_name("x_tip"));
  EXPECT_FALSE(is_name("1x"));
  EXPECT_FALSE(is_name("x'"));
  EXPECT_FALSE(is_name(""));
  EXPECT_FALSE(is_name("a b"));
}

TEST(Parse, PiIsAConstantAndEIsAName) {
  EXPECT_CLOSE(parsed_value("2*pi"), 6.283185307179586, exact);
  Graph graph;
  EXPECT_EQ(read(graph, "e").op(), Op::symbol);
}

TEST(Parse, EveryFunctionIsKnown) {
  for (const std::string& name : function_names()) {
    if (name == "if" || name == "d" || name == "ceil" || name == "round" || name == "mod") continue;
    Graph graph;
    const bool two = name == "atan2" || name == "min" || name == "max";
    const Expr e = read(graph, name + (two ? "(x, y)" : "(x)"));
    EXPECT_EQ(name_of(e.op()), name);
  }
  EXPECT_CLOSE(parsed_value("max(x, y, 4)"), 5.0, exact);
  EXPECT_CLOSE(parsed_value("min(x, y, 4)"), 3.0, exact);
}

TEST(Parse, WholeNumbersAreTakenDownwardsUpwardsAndToTheNearest) {
  EXPECT_CLOSE(parsed_value("floor(x/2) + 10*ceil(x/2) + 100*round(y/2) + 1000*floor(-y/2)"),
               1.0 + 20.0 + 300.0 - 3000.0, exact);
  EXPECT_CLOSE(parsed_value("mod(y, x) + 10*mod(-y, x) + 100*mod(y, -x)"), 2.0 + 10.0 - 100.0, exact);
  Graph graph;
  EXPECT_EQ(printed(read(graph, "floor(x + 3)")), "3 + floor(x)");
  EXPECT_EQ(printed(read(graph, "floor(floor(x)/2) + floor(ceil(x))")), printed(read(graph, "floor(x/2) + ceil(x)")));
}

TEST(Parse, KinksOfEvenPowersAreShown) {
  Graph graph;
  for (const char* text : {"sqrt(x^2)", "(x^2)^0.5", "(x^4)^(1/4)", "exp(0.5*log(x^2))", "abs(abs(x))"})
    EXPECT_EQ(printed(read(graph, text)), "abs(x)") << text;
  EXPECT_EQ(printed(read(graph, "sqrt(y*x^2)")), "abs(x)*sqrt(y)");
  EXPECT_EQ(printed(read(graph, "(x^2)^1.5")), "abs(x)^3");
  EXPECT_EQ(printed(read(graph, "abs(x)^2")), "x^2");
  EXPECT_EQ(printed(read(graph, "exp(2*log(x))")), "exp(2*log(x))");  // not x², which is a number for x < 0 as well
}

TEST(Parse, ANameOfAModelGoesBeforeAFunctionOfWholeNumbers) {
  Graph graph;
  const NameScope scope = {
      .find = [&graph](const std::string& name, std::size_t, std::size_t) { return graph.symbol(name); },
      .names = [] { return std::vector<std::string>(); },
      .expectation = "",
      .place = ""};
  EXPECT_TRUE(parse_expr("2*floor + 1", graph, scope, ExprKind::number).problems.empty());
  const ParsedExpr product = parse_expr("floor(2)", graph, scope, ExprKind::number);
  ASSERT_EQ(product.problems.size(), 1U);
  EXPECT_EQ(product.problems[0].message, "'floor' is not a function");
  EXPECT_FALSE(is_reserved("floor"));
  EXPECT_TRUE(is_reserved("abs"));
}

TEST(Parse, ConditionsChooseNumbers) {
  EXPECT_CLOSE(parsed_value("if(x < y, 1, 2)"), 1.0, exact);
  EXPECT_CLOSE(parsed_value("if(x > y, 1, 2)"), 2.0, exact);
  EXPECT_CLOSE(parsed_value("if(x >= 3, 1, 2)"), 1.0, exact);
  EXPECT_CLOSE(parsed_value("if(x > 3, 1, 2)"), 2.0, exact);
  EXPECT_CLOSE(parsed_value("if(x <= 3, 1, 2)"), 1.0, exact);
  EXPECT_CLOSE(parsed_value("if(not x > 3 and y > 3, 1, 2)"), 1.0, exact);  // not binds tighter than and
  EXPECT_CLOSE(parsed_value("if(x > 0 or y > 9 and y < 0, 1, 2)"), 1.0, exact);  // and binds tighter than or
  EXPECT_CLOSE(parsed_value("if((x > 0 or y > 9) and y < 0, 1, 2)"), 2.0, exact);
  EXPECT_CLOSE(parsed_value("if(x + 1 > y - 2, 1, 2)"), 1.0, exact);  // comparisons bind looser than sums
}

TEST(Parse, NestingUpToTheLimitIsReadAndBeyondItRefused) {
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '(') + "x" + std::string(static_cast<std::size_t>(depth), ')');
  };
  EXPECT_CLOSE(parsed_value(nested(249)), 3.0, exact);
  Graph graph;
  const ParsedExpr parsed = parse_expr(nested(250), graph, test::every_name(graph));
  ASSERT_EQ(parsed.problems.size(), 1U);
  EXPECT_EQ(parsed.problems[0].message, "the expression nests too deeply");
  EXPECT_EQ(parsed.problems[0].expected, "at most 250 levels");
  EXPECT_EQ(parsed.problems[0].first, 250U);
  for (const char* repeated : {"-", "not ", "2^", "sin("}) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += repeated;
    EXPECT_EQ(parse_expr(text, graph, test::every_name(graph)).problems.at(0).message,
              "the expression nests too deeply");
  }
}

// ---- messages --------------------------------------------------------------------------------------------------------

struct Wrong {
  std::string text;
  std::string marked;  // ^ under every marked byte
  std::string message;
  std::string expected;
  std::string suggestion;
};

std::string marks(const ParseProblem& problem) {
  return std::string(problem.first, ' ') + std::string(problem.last - problem.first, '^');
}

NameScope oscillator(Graph& graph) {
  return {.find = [&graph](const std::string& name, std::size_t, std::size_t) -> std::optional<Expr> {
            const bool known = name == "x" || name == "x'" || name == "height" || name == "t";
            return known ? std::optional(graph.symbol(name)) : std::nullopt;
          },
          .names = [] { return std::vector<std::string>{"x", "x'", "height", "t"}; },
          .expectation = "a coordinate (x), a parameter (height) or the time t",
          .place = "in the gap of contact 'floor'"};
}

class WrongExpression : public testing::TestWithParam<Wrong> {};

TEST_P(WrongExpression, IsReportedAtItsPlaceWithWhatWasExpectedAndWhatToDo) {
  const Wrong& wrong = GetParam();
  Graph graph;
  const ParsedExpr parsed = parse_expr(wrong.text, graph, oscillator(graph));
  ASSERT_EQ(parsed.problems.size(), 1U) << wrong.text;
  const ParseProblem& problem = parsed.problems[0];
  EXPECT_EQ(marks(problem), wrong.marked) << wrong.text;
  EXPECT_EQ(problem.message, wrong.message) << wrong.text;
  EXPECT_EQ(problem.expected, wrong.expected) << wrong.text;
  EXPECT_EQ(problem.suggestion, wrong.suggestion) << wrong.text;
}

const char* const known_names = "a coordinate (x), a parameter (height) or the time t";
const char* const not_finite = "the value of this constant expression is not a finite number";
const char* const known_functions =
    "one of sqrt, exp, log, sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, abs, sign, min, max, if, floor, "
    "ceil, round, mod, d";

INSTANTIATE_TEST_SUITE_P(
    Parse, WrongExpression,
    testing::Values(
        Wrong{"x - heigth*x", "    ^^^^^^", "unknown name 'heigth' in the gap of contact 'floor'", known_names,
              "did you mean 'height'?"},
        Wrong{"ω*x", "^^", "unknown name 'ω' in the gap of contact 'floor'", known_names, ""},
        Wrong{"height'", "^^^^^^^", "unknown name 'height'' in the gap of contact 'floor'", known_names,
              "did you mean 'height'?"},
        Wrong{"2*d(height)", "    ^^^^^^",
              "'d(height)' is not the velocity of a coordinate in the gap of contact 'floor'", known_names, ""},
        Wrong{"d(x')", "  ^^", "unexpected 'x''", "a coordinate, as in d(x)", ""},
        Wrong{"d(2)", "  ^", "unexpected '2'", "a coordinate, as in d(x)", ""},
        Wrong{"", "", "empty expression", "a number or an expression", ""},
        Wrong{"  ", "^^", "empty expression", "a number or an expression", ""},
        Wrong{"x +", "   ^", "unexpected end of the expression", "a number, a name or '('", ""},
        Wrong{"x * * x", "    ^", "unexpected '*'", "a number, a name or '('", ""},
        Wrong{"(x + 1", "^", "this parenthesis is not closed", "a ')' before the end of the expression", ""},
        Wrong{"sin(x", "   ^", "this parenthesis is not closed", "a ')' before the end of the expression", ""},
        Wrong{"x + 1)", "     ^", "unexpected ')'", "an operator or the end", "this ')' has no '('"},
        Wrong{"2 x", "  ^", "unexpected 'x'", "an operator", "products are written with '*'"},
        Wrong{"(x)(x)", "   ^", "unexpected '('", "an operator", "products are written with '*'"},
        Wrong{"x, x", " ^", "unexpected ','", "an operator or the end", ""},
        Wrong{"x**2", " ^^", "unexpected '**'", "an operator", "powers are written with '^'"},
        Wrong{"x = 2", "  ^", "unexpected '='", "a comparison '<', '<=', '>' or '>='",
              "equality of two numbers has no meaning for a motion"},
        Wrong{"if(x == 2, 1, 0)", "     ^^", "unexpected '=='", "a comparison '<', '<=', '>' or '>='",
              "equality of two numbers has no meaning for a motion"},
        Wrong{"if(x > 0 && x < 1, 1, 0)", "         ^^", "unexpected '&&'", "an operator",
              "conditions are joined by 'and', 'or', 'not'"},
        Wrong{"if(0 < x < 1, 1, 0)", "         ^", "unexpected '<'", "'and' between two comparisons",
              "write a < b and b < c"},
        Wrong{"x # 2", "  ^", "unexpected character '#'", "a number, a name, an operator or a parenthesis", ""},
        Wrong{"#", "^", "unexpected character '#'", "a number, a name, an operator or a parenthesis", ""},
        Wrong{"x''", "  ^", "unexpected character '''", "a number, a name, an operator or a parenthesis", ""},
        Wrong{"2*1e999", "  ^^^^^", "number out of range", "a number between 1e-308 and 1e308", ""},
        Wrong{"x/0", "  ^", "division by zero", "a divisor that is not the constant zero", ""},
        Wrong{"x/(2 - 2)", "  ^^^^^^^", "division by zero", "a divisor that is not the constant zero", ""},
        Wrong{"0^-1 + x", "^^^^", "division by zero", "a base that is not the constant zero", ""},
        Wrong{"x + log(0)", "    ^^^^^^", not_finite, "a finite number", ""},
        Wrong{"sqrt(-1)", "^^^^^^^^", not_finite, "a finite number", ""},
        Wrong{"2*10^400", "  ^^^^^^", not_finite, "a finite number", ""},
        Wrong{"x*1e300*1e300", "^^^^^^^^^^^^^", not_finite, "a finite number", ""},
        Wrong{"x + 1e308 + 1e308", "^^^^^^^^^^^^^^^^^", not_finite, "a finite number", ""},
        Wrong{"sin*x", "^^^", "'sin' is a function", "'sin(…)'", ""},
        Wrong{"height(2)", "^^^^^^", "'height' is not a function", "an operator after it",
              "products are written with '*'"},
        Wrong{"2*sinn(x)", "  ^^^^", "unknown function 'sinn'", known_functions, "did you mean 'sin'?"},
        Wrong{"sin(x, x)", "^^^^^^^^^", "'sin' takes 1 argument, not 2", "sin(x)", ""},
        Wrong{"atan2(x)", "^^^^^^^^", "'atan2' takes 2 arguments, not 1", "atan2(y, x)", ""},
        Wrong{"min(x)", "^^^^^^", "'min' takes 2 arguments or more, not 1", "min(a, b)", ""},
        Wrong{"if(x > 0, 1)", "^^^^^^^^^^^^", "'if' takes 3 arguments, not 2", "if(condition, a, b)", ""},
        Wrong{"sin()", "    ^", "unexpected ')'", "a number, a name or '('", ""},
        Wrong{"x + and", "    ^^^", "unexpected 'and'", "a number, a name or '('", ""},
        Wrong{"x > 0", "^^^^^", "a condition stands where a number belongs", "a number-valued expression",
              "choose a number by if(condition, a, b)"},
        Wrong{"1 + (x > 0)", "    ^^^^^^^", "a condition stands where a number belongs", "a number-valued expression",
              "choose a number by if(condition, a, b)"},
        Wrong{"if(x, 1, 2)", "   ^", "a number stands where a condition belongs", "a comparison such as x > 0", ""},
        Wrong{"if(x > 0 and x, 1, 2)", "             ^", "a number stands where a condition belongs",
              "a comparison such as x > 0", ""},
        Wrong{"if(x or x > 0, 1, 2)", "   ^", "a number stands where a condition belongs", "a comparison such as x > 0",
              ""},
        Wrong{"if(not x, 1, 2)", "       ^", "a number stands where a condition belongs", "a comparison such as x > 0",
              ""}));

TEST(Parse, AllUnknownNamesAreReportedAndTheErrorOfSyntaxBehindThem) {
  Graph graph;
  const ParsedExpr parsed = parse_expr("heigth + y*z +", graph, oscillator(graph));
  std::vector<std::string> messages;
  for (const ParseProblem& problem : parsed.problems) messages.push_back(problem.message);
  EXPECT_EQ(messages,
            (std::vector<std::string>{
                "unknown name 'heigth' in the gap of contact 'floor'", "unknown name 'y' in the gap of contact 'floor'",
                "unknown name 'z' in the gap of contact 'floor'", "unexpected end of the expression"}));
}

TEST(Parse, AConditionIsReadWhereOneIsAskedFor) {
  Graph graph;
  EXPECT_TRUE(read(graph, "x > 0 or y < 0", ExprKind::condition).is_condition());
  const ParsedExpr parsed = parse_expr("x", graph, test::every_name(graph), ExprKind::condition);
  ASSERT_EQ(parsed.problems.size(), 1U);
  EXPECT_EQ(parsed.problems[0].message, "a number stands where a condition belongs");
}

TEST(Parse, WordsWithAMeaningAreReserved) {
  for (const char* word : {"pi", "t", "and", "or", "not", "sin", "if"}) EXPECT_TRUE(is_reserved(word)) << word;
  for (const char* word : {"e", "d", "x", "sine"}) EXPECT_FALSE(is_reserved(word)) << word;
}

}  // namespace
}  // namespace saltus
