/* Connect 4 over UGI: alpha-beta with iterative deepening, for the rehearsal of a strength test (pull_request.py).

   The bits of a column are 7 apart, the seventh stays empty; a bit of `mine` is a stone of the side to move. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HASTE 15 /* so many moves in a thousand are played at once, without a search */

enum { COLUMNS = 7, ROWS = 6, STEP = 7, LONGEST = 16384, WON = 10000, USUAL_MS = 20, RESERVE_MS = 2 };

typedef uint64_t Bits;
typedef struct { Bits mine, all; int plies; } Position;

static Bits seed = 1;
static long nodes, most_nodes;
static double ends_ms;
static int is_late;
static const int ORDER[COLUMNS] = {3, 2, 4, 1, 5, 0, 6};

static double now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static Bits drawn(void) { /* xorshift64 */
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return seed;
}

static int is_open(const Position *position, int column) {
    return !(position->all >> (column * STEP + ROWS - 1) & 1);
}

static void play(Position *position, int column) {
    position->mine ^= position->all;
    position->all |= position->all + ((Bits)1 << (column * STEP));
    position->plies++;
}

static int has_four(Bits stones) {
    static const int DIRECTIONS[] = {1, STEP - 1, STEP, STEP + 1};
    for (int place = 0; place < 4; place++) {
        Bits pairs = stones & stones >> DIRECTIONS[place];
        if (pairs & pairs >> 2 * DIRECTIONS[place]) return 1;
    }
    return 0;
}

static int centre(Bits stones) { /* stones count more towards the middle */
    static const int VALUES[COLUMNS] = {0, 1, 2, 4, 2, 1, 0};
    int value = 0;
    for (int column = 0; column < COLUMNS; column++)
        value += VALUES[column] * __builtin_popcountll(stones >> (column * STEP) & 63);
    return value;
}

static int search(const Position *position, int depth, int alpha, int beta) {
    Bits theirs = position->mine ^ position->all;
    if (has_four(theirs)) return position->plies - WON;
    if (position->plies == COLUMNS * ROWS) return 0;
    if (!depth) return centre(position->mine) - centre(theirs);
    if (++nodes >= most_nodes || (nodes % 256 == 0 && now_ms() >= ends_ms)) is_late = 1;
    for (int place = 0; place < COLUMNS && !is_late && alpha < beta; place++) {
        if (!is_open(position, ORDER[place])) continue;
        Position next = *position;
        play(&next, ORDER[place]);
        int score = -search(&next, depth - 1, -beta, -alpha);
        if (score > alpha) alpha = score;
    }
    return alpha;
}

static int best_at(const Position *position, int depth, int first) {
    int best = first, alpha = -WON;
    for (int place = -1; place < COLUMNS; place++) {
        int column = place < 0 ? first : ORDER[place];
        if (!is_open(position, column) || (place >= 0 && column == first)) continue;
        Position next = *position;
        play(&next, column);
        int score = -search(&next, depth - 1, -WON, -alpha);
        if (is_late) break; /* what was found so far comes from whole searches */
        if (score > alpha) alpha = score, best = column;
    }
    return best;
}

static int choose(const Position *position) {
    int open[COLUMNS], count = 0;
    for (int place = 0; place < COLUMNS; place++)
        if (is_open(position, ORDER[place])) open[count++] = ORDER[place];
    int best = open[drawn() % count];
    if (drawn() % 1000 < HASTE) return best;
    best = open[0], nodes = 0, is_late = 0;
    for (int depth = 1; depth <= COLUMNS * ROWS - position->plies && !is_late; depth++) best = best_at(position, depth, best);
    return best;
}

static void read_position(Position *position, char *words) {
    memset(position, 0, sizeof *position);
    char *moves = strstr(words, " moves ");
    for (char *move = moves ? strtok(moves + 7, " ") : NULL; move; move = strtok(NULL, " ")) play(position, *move - 'a');
}

static void read_limit(const char *words) {
    const char *time = strstr(words, "movetime "), *number = strstr(words, "nodes ");
    ends_ms = now_ms() + (number ? 1e9 : (time ? atof(time + 9) : USUAL_MS) - RESERVE_MS);
    most_nodes = number ? atol(number + 6) : INT64_MAX;
}

int main(void) {
    static char line[LONGEST];
    Position position = {0, 0, 0};
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\r\n")] = 0;
        if (!strcmp(line, "ugi"))
            puts("id name connect4\nid author Fiedler\noption name seed type spin default 1 min 0 max 2147483647\nugiok");
        else if (!strcmp(line, "isready")) puts("readyok");
        else if (!strncmp(line, "setoption name seed value ", 26)) seed = strtoull(line + 26, NULL, 10) * 2 + 1;
        else if (!strncmp(line, "position ", 9)) read_position(&position, line);
        else if (!strncmp(line, "go", 2)) read_limit(line), printf("bestmove %c\n", 'a' + choose(&position));
        else if (!strcmp(line, "quit")) return 0;
        fflush(stdout);
    }
    return 0;
}
