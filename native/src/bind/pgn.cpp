// The Python interface of the PGN reader.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bind/bindings.hpp"
#include "text/pgn.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace fiedler {
namespace {

using PyRow = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
using PyComplaint = std::tuple<std::size_t, std::string, std::optional<std::string>>;

std::vector<PyRow> rows(const PgnCounter& self) {
    std::vector<PyRow> all;
    all.reserve(self.counts().rows().size());
    for (const PairCounts::Row& row : self.counts().rows()) all.emplace_back(row[0], row[1], row[2], row[3], row[4]);
    return all;
}

std::optional<PyComplaint> complaint(const PgnCounter& self) {
    const std::optional<Complaint>& found = self.complaint();
    if (!found) return {};
    return PyComplaint{found->line, found->expected, found->got};
}

}  // namespace

void bind_pgn(nb::module_& m) {
    nb::class_<PgnCounter>(m, "PgnCounter",
                           "The results of the games of a PGN file, counted while its bytes go by.\n\n"
                           "Memory grows with the pairs of players, not with the games. One thread at a time.")
        .def(nb::init<>())
        .def(
            "feed",
            [](PgnCounter& self, nb::bytes data) {
                const std::string_view bytes(data.c_str(), data.size());
                nb::gil_scoped_release released;
                self.feed(bytes);
            },
            "data"_a, "Take the next bytes, in pieces of any size.")
        .def("finish", &PgnCounter::finish, "Note the end of the file.")
        .def_prop_ro("complaint", &complaint,
                     "The error in the file, as (line, expectation, text found there if it can be shown); "
                     "the rest was not read.")
        .def_prop_ro(
            "names", [](const PgnCounter& self) { return self.counts().names(); }, "Players by first appearance.")
        .def_prop_ro("rows", &rows,
                     "(first, second, first_wins, draws, second_wins) for each ordered pair, by first appearance.")
        .def_prop_ro("skipped", &PgnCounter::skipped, "Games without a known result.");
}

}  // namespace fiedler
