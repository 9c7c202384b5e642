/* A complete tournament player in one file: random ultimate tic-tac-toe over UGI on standard input and output.
 *
 * It needs the C library alone. Copy it, put your own idea into `choose`, and name it in a schedule:
 *
 *     cc -O2 -o ugi_random ugi_random.c
 *
 *     [[players]]
 *     name = "mine"
 *     command = ["./ugi_random"]
 *
 * Squares are named a1 (bottom left) to i9 (top right). Boards and the cells of a board are numbered 0 to 8 from the
 * top left, row by row.
 */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ANY = -1, MAX_LINE = 65536 };

static const int LINES[8][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}};

/* Nine local boards, the board that must be played in (ANY: an open one), and the side to move. */
typedef struct {
    char cells[9][9]; /* X, O or . */
    char won[9];      /* the state of each board: X, O, # (full) or . (open) */
    int target;
    char side;
} Position;

typedef struct {
    int board, cell;
} Move;

static const Position START = {
    {".........", ".........", ".........", ".........", ".........",  //
     ".........", ".........", ".........", "........."},
    ".........",
    ANY,
    'X',
};

static bool has_line(const char *cells, char side) {
    for (int at = 0; at < 8; at++) {
        const int *line = LINES[at];
        if (cells[line[0]] == side && cells[line[1]] == side && cells[line[2]] == side) return true;
    }
    return false;
}

static bool is_over(const Position *position) { return has_line(position->won, 'X') || has_line(position->won, 'O'); }

/* Fill `moves` with all moves, none when the game is over; return their number. */
static int legal_moves(const Position *position, Move moves[81]) {
    int count = 0;
    for (int board = 0; board < 9 && !is_over(position); board++)
        for (int cell = 0; cell < 9; cell++)
            if ((position->target == ANY || position->target == board) && position->won[board] == '.' &&
                position->cells[board][cell] == '.')
                moves[count++] = (Move){board, cell};
    return count;
}

/* Write the name of a move, such as e5. */
static void write_move(Move move, char name[3]) {
    name[0] = (char)('a' + move.board % 3 * 3 + move.cell % 3);
    name[1] = (char)('9' - move.board / 3 * 3 - move.cell / 3);
    name[2] = '\0';
}

/* Play a legal move by its name; return whether it is one. */
static bool play(Position *position, const char *name) {
    Move moves[81];
    char known[3];
    for (int count = legal_moves(position, moves); count-- > 0;) {
        int board = moves[count].board, cell = moves[count].cell;
        write_move(moves[count], known);
        if (strcmp(known, name) != 0) continue;
        position->cells[board][cell] = position->side;
        if (has_line(position->cells[board], position->side))
            position->won[board] = position->side;
        else if (memchr(position->cells[board], '.', 9) == NULL)
            position->won[board] = '#';
        position->target = position->won[cell] == '.' ? cell : ANY;
        position->side = position->side == 'X' ? 'O' : 'X';
        return true;
    }
    return false;
}

/* Return the move to play, one of `count`. This is the place for a better idea. */
static Move choose(const Position *position, const Move *moves, int count) {
    (void)position;
    return moves[rand() % count];
}

/* Read `SIDE;BOARDS;CELLS/CELLS/…`: X or O; nine of `XO#.@` (@: the next board); nine times nine of `XO.`. */
static bool read_fen(Position *position, const char *text) {
    *position = START;
    if (strlen(text) != 101 || strchr("XO", text[0]) == NULL || text[1] != ';' || text[11] != ';') return false;
    position->side = text[0];
    for (int board = 0; board < 9; board++) {
        if (text[2 + board] == '@')
            position->target = board;
        else
            position->won[board] = text[2 + board];
        memcpy(position->cells[board], text + 12 + 10 * board, 9);
    }
    return true;
}

/* Read the words after `position`: `startpos` or `fen TEXT`, then perhaps `moves m1 m2 …`. */
static bool read_position(Position *position) {
    Position found = START;
    const char *word = strtok(NULL, " \t\r\n");
    if (word != NULL && strcmp(word, "fen") == 0) {
        const char *text = strtok(NULL, " \t\r\n");
        if (text == NULL || !read_fen(&found, text)) return false;
    } else if (word == NULL || strcmp(word, "startpos") != 0) {
        return false;
    }
    word = strtok(NULL, " \t\r\n"); /* moves */
    while (word != NULL && (word = strtok(NULL, " \t\r\n")) != NULL)
        if (!play(&found, word)) return false;
    *position = found;
    return true;
}

static void go(const Position *position) {
    Move moves[81];
    char name[3];
    int count = legal_moves(position, moves);
    if (count == 0) {
        puts("bestmove none");
        return;
    }
    write_move(choose(position, moves, count), name);
    printf("bestmove %s\n", name);
}

/* Return the answer to a query of a runner that asks its engines about the game. */
static const char *inform(const Position *position, const char *query) {
    Move moves[81];
    bool over = legal_moves(position, moves) == 0;
    if (strcmp(query, "gameover") == 0) return over ? "true" : "false";
    if (strcmp(query, "p1turn") == 0) return position->side == 'X' ? "true" : "false";
    if (strcmp(query, "result") != 0) return "unknown";
    if (has_line(position->won, 'X')) return "p1win";
    return has_line(position->won, 'O') ? "p2win" : over ? "draw" : "none";
}

/* Set the seed by the words after `setoption`: `name seed value N`. */
static void set_option(void) {
    const char *words[4] = {NULL};
    for (int at = 0; at < 4; at++) words[at] = strtok(NULL, " \t\r\n");
    if (words[3] != NULL && strcmp(words[1], "seed") == 0) srand((unsigned)strtoul(words[3], NULL, 10));
}

/* Speak UGI until `quit` or the end of the input. Limits of time do not matter: random is always fast enough. */
int main(void) {
    static char line[MAX_LINE];
    Position position = START;
    srand((unsigned)time(NULL));
    setvbuf(stdout, NULL, _IOLBF, 0); /* every line at once: a runner waits for it */
    while (fgets(line, sizeof line, stdin) != NULL) {
        const char *word = strtok(line, " \t\r\n");
        if (word == NULL) continue;
        if (strcmp(word, "ugi") == 0)
            puts("id name ugi_random_c\nid author Fiedler\n"
                 "option name seed type spin default 0 min 0 max 2147483647\nugiok");
        else if (strcmp(word, "isready") == 0)
            puts("readyok");
        else if (strcmp(word, "setoption") == 0)
            set_option();
        else if (strcmp(word, "uginewgame") == 0)
            position = START;
        else if (strcmp(word, "position") == 0) {
            if (!read_position(&position)) puts("info string error: expected startpos or fen TEXT, then legal moves");
        } else if (strcmp(word, "query") == 0) {
            const char *query = strtok(NULL, " \t\r\n");
            printf("response %s\n", inform(&position, query == NULL ? "" : query));
        } else if (strcmp(word, "go") == 0)
            go(&position);
        else if (strcmp(word, "quit") == 0)
            return 0;
    }
    return 0;
}
