"""One rule on one field: the games, the choices along them, and the ratings at the marks."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from msgspec import Struct
from threadpoolctl import threadpool_limits

from benchmarks.pairing.rows import Rows, no_rows, play
from benchmarks.pairing.rules import RULES, PairingRule, RuleCase
from benchmarks.pairing.setting import Duel
from fiedler.tournament.simulation.play import SimulatedPlayers

BASE = "base"
"""The name of the base."""


class AtMark(Struct, frozen=True):
    """The numbers after the games of a mark."""

    games: int
    loss: float
    """True Elo that the chosen player lacks to the best."""
    rms: float
    coverage: float


class RuleTrial(Struct, frozen=True):
    """One repetition of one rule."""

    rule: str
    repetition: int
    losses: tuple[float, ...]
    """The loss at each look."""
    marks: tuple[AtMark, ...]
    stopped: int | None
    """Games at the rule's own stop; None without one."""
    stop_loss: float | None
    """The loss there."""
    planning_s: float
    """Processor time of the planning of all games."""
    planned: int
    """Games that were planned in it."""


def run_rule(name: str, setting: Duel, repetition: int) -> RuleTrial:
    """Play one repetition. All rules have the same truth, and each has a random stream of its own."""
    field, truth = _field(name, setting, repetition)
    with threadpool_limits(limits=1, user_api="blas"):
        rule, rows, planning_s = _played(name, setting, field, setting.games)
        planned, stopped = len(rows), rule.stopped
        losses = [_loss(rule, rows[:look], truth) for look in setting.looks]
        stop_loss = None if stopped is None else _loss(rule, rows[:stopped], truth)
        marks = []
        for mark in setting.marks:
            one, games = rule, rows[:mark]
            if rule.knows_total and mark < setting.games:
                one, games, seconds = _played(name, setting, field, mark)
                planning_s, planned = planning_s + seconds, planned + len(games)
            judged = one.judged(games, truth)
            marks.append(AtMark(mark, _loss(one, games, truth), judged.rms, judged.coverage))
    return RuleTrial(name, repetition, tuple(losses), tuple(marks), stopped, stop_loss, planning_s, planned)


def _field(name: str, setting: Duel, repetition: int) -> tuple[SimulatedPlayers, SimulatedPlayers]:
    """Return the players with the base, and without it."""
    common = np.random.default_rng([setting.seed, repetition])
    elo = setting.draw(common)
    size, names, section = elo.size, setting.names, setting.section
    style = np.zeros((size + 1, size + 1))
    style[:-1, :-1] = np.triu(common.normal(0, 1, (size, size)), 1) * setting.style_sd
    chance = np.random.default_rng([setting.seed, repetition, *name.encode()])
    with_base = np.append(elo, elo.max() + setting.base)
    parameters = float(section.advantage), float(section.draw_elo)
    field = SimulatedPlayers((*names, BASE), with_base, style - style.T, *parameters, chance, section.model)
    return field, replace(field, names=names, elo=elo)


def _played(name: str, setting: Duel, field: SimulatedPlayers, games: int) -> tuple[PairingRule, Rows, float]:
    """Return a rule after `games` games, with these, and the processor time of the planning."""
    rule = RULES[name](RuleCase(field.names, setting.section, games, field.random))
    rows, planning_s = no_rows(), 0.0
    while len(rows) < games:
        started = time.process_time()
        meetings = rule.batch(rows)
        planning_s += time.process_time() - started
        rows = np.concatenate([rows, play(field, meetings)])
    return rule, rows[:games], planning_s


def _loss(rule: PairingRule, rows: Rows, truth: SimulatedPlayers) -> float:
    return float(truth.elo.max() - truth.elo[rule.choice(rows)])
