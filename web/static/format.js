// Numbers and times as text. An unknown number is "?", a minus is a real one.

/**
 * @param {number | null | undefined} value
 * @param {number} [digits]
 */
export function number(value, digits = 0) {
  if (value === null || value === undefined) return "?";
  const text = value.toFixed(digits);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

/** @param {number | null | undefined} share */
export function percent(share) {
  if (share === null || share === undefined) return "?";
  const text = 100 * share;
  if (share > 0.99 && share < 1) return ">99 %";
  if (share < 0.01 && share > 0) return "<1 %";
  return `${Math.floor(text + 0.5 + 1e-9)} %`; // as the ranking rounds
}

/**
 * @param {number} count
 * @param {string} noun
 */
export function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/**
 * The time of day of an ISO time; with its date if that is another day.
 * @param {string} iso
 */
export function clock(iso) {
  const at = new Date(iso);
  const time = at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
  return at.toDateString() === new Date().toDateString() ? time : `${at.toISOString().slice(0, 10)} ${time}`;
}

/**
 * Milliseconds of a clock as 1:05.3
 * @param {number} milliseconds
 */
export function left(milliseconds) {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds >= 3600) return `${Math.floor(seconds / 3600)}:${String(Math.floor((seconds / 60) % 60)).padStart(2, "0")} h`;
  const rest = seconds % 60;
  return `${Math.floor(seconds / 60)}:${rest < 10 ? "0" : ""}${seconds < 20 ? rest.toFixed(1) : Math.floor(rest)}`;
}

/**
 * The last score of a running game; null without one. The even score of one ply is that of a player that does not search.
 * @param {{score: number | null, depth: number | null}} board
 */
export function scoreOf({ score, depth }) {
  return score === 0 && depth === 1 ? null : score;
}

/**
 * Centipawns from a player's own view.
 * @param {number} centipawns
 */
export function score(centipawns) {
  return `${centipawns > 0 ? "+" : ""}${number(centipawns / 100, 2)}`;
}
