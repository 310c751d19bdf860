#include <string>

#include "saltus/expr/print.hpp"
#include "tests/model/model_text.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using test::ball;
using test::first_message_about;
using test::messages_about;
using test::model_of;

std::string with_force(const std::string& quoted) {
  return "[mechanics]\ncoordinates = [\"z\"]\nmass = [[\"1\"]]\nforce = [" + quoted + "]\n";
}

TEST(ModelFile, NumbersMayStandWhereExpressionsDo) {
  const auto model = model_of("[mechanics]\ncoordinates = [\"z\"]\nmass = [[2]]\nforce = [-9.81]\n");
  ASSERT_TRUE(model);
  EXPECT_TRUE(model->mass[0].expr.is_constant(2.0));
  EXPECT_TRUE(model->force[0].expr.is_constant(-9.81));
}

TEST(ModelFile, DefinitionsMayStandInAnyOrder) {
  const auto model = model_of("[define]\nc = \"a + b\"\nb = \"2*a\"\na = \"z^2\"\n" + with_force("\"-c\""));
  ASSERT_TRUE(model);
  EXPECT_EQ(printed(model->force[0].expr), "-3*z^2");
}

TEST(ModelFile, ACycleOfDefinitionsIsListedOnceAlsoWhenOthersUseIt) {
  EXPECT_EQ(messages_about("[define]\nuser = \"a\"\na = \"b\"\nb = \"a\"\n" + with_force("\"-user - a - b\"")),
            "model.toml:4:6: error: the definition 'a' depends on itself: a → b → a\n"
            "  4 | b = \"a\"\n"
            "    |      ^\n"
            "  expected definitions that end in coordinates, parameters and numbers\n");
  EXPECT_EQ(first_message_about("[define]\na = \"a\"\n" + with_force("\"0\"")),
            "model.toml:2:6: error: the definition 'a' depends on itself: a → a");
}

TEST(ModelFile, DeeplyNestedDefinitionsInALongChainDoNotUseUpTheStack) {
  std::string text = "[define]\nd0 = \"z\"\n";
  for (int i = 1; i < 199; ++i)
    text += "d" + std::to_string(i) + " = \"" + std::string(60, '(') + "d" + std::to_string(i - 1) + " + t" +
            std::string(60, ')') + "\"\n";
  EXPECT_TRUE(model_of(text + with_force("\"d198\"")));
}

TEST(ModelFile, BothWaysToWriteAVelocityAreTheSame) {
  const auto model = model_of(with_force("\"z' - d(z)\""));
  ASSERT_TRUE(model);
  EXPECT_TRUE(model->force[0].expr.is_constant(0.0));
}

struct Spelling {
  std::string quoted;
  std::string place;  // line:column
};

TEST(ModelFile, MessagesPointIntoEveryKindOfString) {
  // The unknown name q stands at the given place of the file; the force is in line 4, its list begins in column 10.
  const std::vector<Spelling> spellings = {
      {"\"1 + q\"", "4:15"},
      {"'1 + q'", "4:15"},
      {"\"\"\"1 + q\"\"\"", "4:17"},
      {"\"\"\"\n  1 +\n  q\"\"\"", "6:3"},
      {"\"\"\"\r\n  1 +\r\n  q\"\"\"", "6:3"},
      {"'''\n1 + q'''", "5:5"},
      {"\"1\\t+ q\"", "4:16"},
      {"\"\\u0031 + q\"", "4:20"},
      {"\"\\U00000031 + q\"", "4:24"},
      {"\"\"\"1 \\\n     + q\"\"\"", "5:8"},
      {"\"0*ä + q\"", "4:13"},
      {"\"z*z + q\"", "4:17"},
  };
  for (const Spelling& spelling : spellings) {
    const std::string message = first_message_about(with_force(spelling.quoted));
    EXPECT_TRUE(message.starts_with("model.toml:" + spelling.place + ": error: unknown name")) << message;
  }
}

TEST(ModelFile, ColumnsCountCharactersNotBytes) {
  const std::string message = first_message_about("[parameters]\n\"ä\" = 1\n" + with_force("\"ä*ä*ä*qq\""));
  EXPECT_TRUE(message.starts_with("model.toml:6:17: ")) << message;
}

TEST(ModelFile, NamesMayUseEveryAlphabetAndStayApart) {
  const auto model =
      model_of("[parameters]\n\"ä\" = 1\n\"ö\" = 2\n\"ψ\" = 3\n\"角\" = 4\n\"𝜓\" = 5\n\"\\u00fc\" = 6\n" +
               with_force("\"\"\"ä + ö + \\\n  ψ + 角 + 𝜓 + ü\"\"\""));
  ASSERT_TRUE(model);
  EXPECT_EQ(test::value(model->force[0].expr, {{"ä", 1}, {"ö", 2}, {"ψ", 3}, {"角", 4}, {"𝜓", 5}, {"ü", 6}}), 21.0);
}

TEST(ModelFile, AByteOrderMarkIsNotPartOfTheText) {
  const auto model = model_of("\xEF\xBB\xBF" + ball);
  EXPECT_TRUE(model);
  EXPECT_TRUE(first_message_about("\xEF\xBB\xBFtitel = 1\n" + ball).starts_with("model.toml:1:1: "));
}

TEST(ModelFile, ParametersKeepTheOrderOfTheFile) {
  const auto model = model_of("[parameters]\nz1 = 1\na = \"z1\"\nm = 3\n" + ball);
  ASSERT_TRUE(model);
  std::vector<std::string> names;
  for (const Parameter& parameter : model->parameters) names.push_back(parameter.name);
  EXPECT_EQ(names, (std::vector<std::string>{"z1", "a", "m"}));
}

TEST(ModelFile, StatesStandBehindCoordinatesAndVelocities) {
  const auto model = model_of(ball + "states = [\"p\"]\nrates = [\"z' - p\"]\n[initial]\np = 3\n\"z'\" = 2\nz = 1\n");
  ASSERT_TRUE(model);
  EXPECT_EQ(model->component_names(), (std::vector<std::string>{"z", "z'", "p"}));
  EXPECT_EQ(model->dimension(), 3U);
  EXPECT_EQ(set_up(*model, "", {}).setup->initial, (std::vector<double>{1.0, 2.0, 3.0}));
}

TEST(ModelFile, AModelOfStatesAloneIsPossible) {
  const auto model = model_of("[mechanics]\nstates = [\"p\"]\nrates = [\"-p\"]\n");
  ASSERT_TRUE(model);
  EXPECT_EQ(model->n(), 0U);
  EXPECT_EQ(model->dimension(), 1U);
}

TEST(ModelFile, TheSectionHasADirectionAndAModulus) {
  const auto model = model_of(ball + "[section]\nsurface = \"z\"\ndirection = \"down\"\nmodulo = \"2*pi\"\n");
  ASSERT_TRUE(model && model->section && model->section->modulo);
  EXPECT_EQ(model->section->direction, Crossing::down);
}

TEST(ModelFile, SolverSettingsAreRead) {
  const auto model = model_of(ball + "[solver]\nrtol = 1e-8\nimpact_law = \"moreau\"\nmethod = \"exact\"\n");
  ASSERT_TRUE(model);
  EXPECT_EQ(model->solver.rtol, 1e-8);
  EXPECT_FALSE(model->solver.atol.has_value());
  EXPECT_EQ(model->solver.impact_law, ImpactLaw::moreau);
  EXPECT_EQ(model->solver.method, "exact");
}

TEST(ModelFile, WithoutATraceTheEndOfTheLastLineIsTraced) {
  const auto model = model_of(
      ball + "[draw]\nA = [0, 0]\nB = [1, 0]\nC = [\"z\", 0]\nlines = [[\"A\", \"B\"], [\"A\", \"C\", \"B\"]]\n");
  ASSERT_TRUE(model);
  EXPECT_EQ(model->drawing.trace, (std::vector<std::size_t>{1}));
}

TEST(ModelFile, AMassMatrixMayBeSymmetricWithoutLookingSo) {
  EXPECT_TRUE(
      model_of("[mechanics]\ncoordinates = [\"x\", \"y\"]\n"
               "mass = [[2, \"cos(x)^2\"], [\"1 - sin(x)*sin(x)\", 2]]\nforce = [0, 0]\n"));
}

TEST(ModelFile, ConditionsOnParametersMayStandInSmoothPlaces) {
  EXPECT_TRUE(
      model_of("[parameters]\nheavy = 1\n[mechanics]\ncoordinates = [\"x\"]\n"
               "mass = [[\"if(heavy > 0, 2, 1) + max(heavy, 0)\"]]\nforce = [0]\n"));
}

TEST(ModelFile, AFileThatIsNotThereIsAnErrorOfTheFile) {
  try {
    read_model_file("no/such/model.toml");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::file);
    EXPECT_STREQ(error.what(), "cannot read 'no/such/model.toml': No such file or directory");
  }
}

TEST(ModelFile, AFolderIsAnErrorOfTheFile) { EXPECT_THROW(read_model_file("examples"), Error); }

}  // namespace
}  // namespace saltus
