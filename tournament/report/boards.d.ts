// The constant of games/scripts.py in a report, for the check of types (`make lint`).

declare const boards: {
  "board.js": typeof import("../../games/static/board.js");
  "elements.js": typeof import("../../games/static/elements.js");
  "sides.js": typeof import("../../games/static/sides.js");
  "text_board.js": typeof import("../../games/static/text_board.js");
  "replay.js": typeof import("../../games/static/replay.js");
};
