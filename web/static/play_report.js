// The report of an engine in words.

/** @import { Report } from "./documents.d.ts" */

/**
 * Return a report, or a hint, as a sentence; scores are those of the first player.
 * @param {Report} report
 * @param {string[]} names
 * @param {boolean} isHint
 */
export function reportText(report, names, isHint) {
  const parts = [];
  if (isHint && report.pv.length) parts.push(`Hint: ${report.pv[0]}`);
  if (report.mate !== null) {
    const winner = names[report.mate > 0 ? 0 : 1];
    parts.push(`${winner} wins in ${Math.abs(report.mate)} ${Math.abs(report.mate) === 1 ? "move" : "moves"}`);
  } else if (report.value !== null) {
    parts.push(`expected score for ${names[0]}: ${Math.round(100 * report.value)} %`);
  }
  if (report.depth) parts.push(`depth ${report.depth}`);
  if (report.nodes) parts.push(`${large(report.nodes)} nodes`);
  if (report.nps) parts.push(`${large(report.nps)} a second`);
  if (report.pv.length > 1 || (report.pv.length && report.value !== null)) parts.push(`line: ${report.pv.join(" ")}`);
  return parts.join(" · ") || "The engine gives no evaluation.";
}

/** @param {number} number */
function large(number) {
  return new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format(number);
}
