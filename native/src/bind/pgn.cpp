// The Python interface of the PGN reader.
#include <nanobind/nanobind.h>
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
using PyReason = std::tuple<std::string, std::int64_t, std::vector<std::size_t>>;

std::vector<PyRow> rows(const PgnCounter& self) {
    std::vector<PyRow> all;
    all.reserve(self.counts().rows().size());
    for (const PairCounts::Row& row : self.counts().rows()) all.emplace_back(row[0], row[1], row[2], row[3], row[4]);
    return all;
}

std::vector<PyReason> reasons(const LeftOut& found) {
    std::vector<PyReason> all;
    for (const LeftOut::Reason& one : found.reasons()) all.emplace_back(one.text, one.games, one.lines);
    return all;
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
        .def_prop_ro("open_comment", &PgnCounter::open_comment,
                     "The line of a comment that has not ended; 0 if there is none.")
        .def_prop_ro(
            "names", [](const PgnCounter& self) { return self.counts().names(); }, "Players by first appearance.")
        .def_prop_ro("rows", &rows,
                     "(first, second, first_wins, draws, second_wins) for each ordered pair, by first appearance.")
        .def_prop_ro(
            "left_out", [](const PgnCounter& self) { return reasons(self.left_out()); },
            "Games that do not count, as (reason, games, lines of the first three), by first appearance.")
        .def_prop_ro(
            "malformed_tags", [](const PgnCounter& self) { return reasons(self.malformed()); },
            "Malformed tags other than White, Black and Result, in the same form.");
}

}  // namespace fiedler
