// pattern_train.c - the model of a stream of distances, from a sample of its blocks (context_train.c)
//
// The patterns of the first k neighbours are the nodes of level k of a tree: a node has a child for each distinct value
// of its neighbours that the next neighbour may equal, and one for a new value. A context without many symbols in the
// sample takes the frequencies of the node above it.
#include "table/pattern_code.h"
#include "table/write/context_training.h"
#include "util/cloned.h"
#include "util/error.h"
#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    NEW_BITS = 6, // that a new value is assumed to take when neighbours are chosen
    NEW = PATTERN_SLOTS - 1,
    LEVELS = PATTERN_NEIGHBOURS_MAX + 1
};

struct node {
    uint64_t labels; // of the neighbours, a byte each: the number of its distinct value
    uint8_t values;  // distinct ones
    uint16_t above;
    uint16_t below; // the first of its values + 1 children
};

struct tree {
    struct node node[PATTERN_NODES];
    unsigned first[LEVELS + 1]; // node of each level
};

static void make_tree(struct tree *tree, unsigned levels)
{
    unsigned nodes = 1;
    tree->node[0] = (struct node){0};
    tree->first[0] = 0;
    for (unsigned level = 0; level <= levels; level++) {
        tree->first[level + 1] = nodes;
        for (unsigned n = tree->first[level]; level < levels && n < tree->first[level + 1]; n++) {
            struct node *node = &tree->node[n];
            node->below = (uint16_t)nodes;
            for (unsigned label = 0; label <= node->values; label++)
                tree->node[nodes++] = (struct node){.labels = node->labels | (uint64_t)label << 8 * level,
                                                    .values = (uint8_t)(node->values + (label == node->values)),
                                                    .above = (uint16_t)n};
        }
    }
}

// Makes the patterns of the model, without frequencies.
static int make_patterns(struct training *training)
{
    struct context_model *model = training->model;
    if (!pattern_model_make(model))
        return error_memory(sizeof *model->patterns, "a model");
    model->patterns->paired = training->sample->paired;
    model->patterns->outcomes = training->sample->paired ? training->sample->outcomes : NOT_PAIRED;
    model->patterns->given = training->sample->paired ? GIVEN_MAX : 1;
    model->patterns->listed = training->sample->lists != NULL;
    if (training->sample->lists != NULL)
        model->patterns->lists = *training->sample->lists;
    return 0;
}

int pattern_simplest_model(struct training *training)
{
    struct context_model *model = training->model;
    model->symbols = training->sample->distances;
    model->neighbours = 1;
    model->distance[0] = 1;
    TRY(make_patterns(training));
    for (unsigned g = 0; g < model->patterns->given; g++)
        training_slots(model->patterns->slots[g][0].start, PATTERN_SLOTS + 1, 2, (const uint64_t[]){100, 1});
    model->patterns->classes = 1;
    const uint64_t alike[NEW_SYMBOLS_MAX] = {0};
    training_slots(model->patterns->start[0], NEW_SYMBOLS_MAX + 1, model->symbols, alike);
    return 0;
}

// ---- neighbours ----

// A listed symbol.
struct listed {
    uint64_t values; // distinct ones of the neighbours so far, a byte each
    uint32_t place;
    uint16_t node;  // of their pattern
    uint8_t symbol; //
    uint8_t choice; // the number of its value, or that of all values
};

// The choice of neighbours.
struct choosing {
    const struct training *training;
    struct tree tree;
    struct listed *listed; // [places of the training]
    unsigned level;        // neighbours so far
    bool near;             // Is there a neighbour that only the last one can be?
};

// The bits, times 2^LOG2_BITS, that the listed symbols take with one more neighbour at `distance`, and those of the
// model. count[PATTERN_NODES * PATTERN_SLOTS].
static CLONED uint64_t cost_with(const struct choosing *choosing, unsigned distance, uint32_t *count)
{
    const struct training *training = choosing->training;
    const struct tree *tree = &choosing->tree;
    const struct listed *listed = choosing->listed;
    const size_t places = training->places;
    const unsigned first = tree->first[choosing->level + 1];
    const unsigned nodes = tree->first[choosing->level + 2] - first;
    const size_t cells = (size_t)nodes * PATTERN_SLOTS;
    // Symbols are counted in two arrays in turn, so that one does not wait for the last one's cell.
    memset(count, 0, 2 * cells * sizeof *count);
    for (size_t i = 0; i < places; i++) {
        const struct listed *at = &listed[i];
        const struct node *node = &tree->node[at->node];
        const uint8_t value = training->space[at->place - distance];
        const unsigned label = pattern_find(at->values, value, node->values);
        const bool known = (at->choice != node->values) | ((label == node->values) & (value == at->symbol));
        const unsigned choice = at->choice | (known ? 0 : NEW); // all bits of a choice
        count[i % 2 * cells + (node->below - first + label) * PATTERN_SLOTS + choice]++;
    }
    uint64_t cost = 0;
    uint64_t numbers = 0;
    for (unsigned n = 0; n < nodes; n++) {
        uint64_t sum = 0;
        uint64_t symbols = 0;
        for (unsigned choice = 0; choice < PATTERN_SLOTS; choice++) {
            symbols = (uint64_t)count[n * PATTERN_SLOTS + choice] + count[cells + n * PATTERN_SLOTS + choice];
            sum += symbols;
            cost -= symbols * log2_fixed(symbols);
        }
        cost += sum * log2_fixed(sum) + (symbols * NEW_BITS << LOG2_BITS); // the last are new values
        numbers += sum > 0 ? tree->node[first + n].values : 0;
    }
    return cost + training_model_cost(training, numbers * MODEL_BITS);
}

// Extends the patterns of the listed symbols by a neighbour.
static void add_neighbour(struct choosing *choosing, unsigned distance)
{
    const struct training *training = choosing->training;
    for (size_t i = 0; i < training->places; i++) {
        struct listed *at = &choosing->listed[i];
        const struct node *node = &choosing->tree.node[at->node];
        const uint8_t value = training->space[at->place - distance];
        const unsigned label = pattern_find(at->values, value, node->values);
        at->node = (uint16_t)(node->below + label);
        if (label < node->values)
            continue;
        at->values |= (uint64_t)value << 8 * node->values;
        at->choice = (uint8_t)(at->choice + (at->choice == node->values && value != at->symbol));
    }
}

static CLONED int try_neighbour(void *context, uint64_t item, int worker)
{
    struct training *training = context;
    const struct choosing *choosing = training->choosing;
    const unsigned distance = training->sample->candidate[item];
    training->cost[item] = choosing->near && distance < PATTERN_GROUP
                               ? UINT64_MAX
                               : cost_with(choosing, distance, training_counts(training, worker));
    return 0;
}

// Chooses neighbours one by one. The one that is nearer than PATTERN_GROUP, if there is one, becomes the last one,
// otherwise the first that is chosen.
static int choose(struct training *training, struct choosing *choosing)
{
    struct context_model *model = training->model;
    make_tree(&choosing->tree, PATTERN_NEIGHBOURS_MAX);
    for (size_t i = 0; i < training->places; i++)
        choosing->listed[i] =
            (struct listed){.place = training->place[i], .symbol = training->space[training->place[i]]};
    uint64_t least = UINT64_MAX;
    for (; choosing->level < PATTERN_NEIGHBOURS_MAX; choosing->level++) {
        const uint16_t *best;
        TRY(training_choose(training, try_neighbour, choosing->level < LEVELS_OF_ALL, &least, &best));
        if (best == NULL)
            break;
        add_neighbour(choosing, *best);
        if (*best < PATTERN_GROUP) {
            model->distance[choosing->level] = *best;
            choosing->near = true;
        } else {
            memmove(model->distance + 1, model->distance, choosing->level * sizeof *model->distance);
            model->distance[0] = *best;
        }
    }
    pattern_model_free(model->patterns);
    model->patterns = NULL;
    model->neighbours = choosing->level;
    return make_patterns(training);
}

int pattern_choose_neighbours(struct training *training)
{
    struct choosing *choosing;
    TRY(memory_new(&choosing, 1, sizeof *choosing, "a model"));
    choosing->training = training;
    training->choosing = choosing;
    int code = memory_new(&choosing->listed, training->places + 1, sizeof *choosing->listed, "a model");
    THEN(code, choose(training, choosing));
    free(choosing->listed);
    free(choosing);
    return code;
}

// ---- frequencies ----

// Counts choices by pattern, and after them new values by the last neighbour's value, for each outcome.
CLONED void pattern_count(const struct training *training, size_t unit, uint32_t *counts)
{
    const struct pattern_model *patterns = training->model->patterns;
    const uint8_t *index = training->space + unit * PIECE + CONTEXT_UNIT;
    const uint8_t *given = training_given(training, unit);
    struct pattern_group group = {.bytes = {0}};
    for (size_t i = 0; i < training->length[unit]; i++) {
        if (training->kind[unit][i / CONTEXT_ROW] != ROW_CODED)
            continue;
        if (i % PATTERN_GROUP == 0)
            pattern_group_make(patterns, index + i, &group);
        if (given != NULL && given[i] == VACANT)
            continue;
        const uint8_t last = index[(ptrdiff_t)i - (ptrdiff_t)patterns->last];
        const struct pattern pattern = pattern_of(patterns, &group, i % PATTERN_GROUP, last);
        const unsigned choice = pattern_choice(patterns, pattern, index[i]);
        uint32_t *count = counts + (given != NULL ? (size_t)given[i] * PATTERN_COUNTS : 0);
        count[pattern.number * PATTERN_SLOTS + choice]++;
        if (choice == patterns->distinct[pattern.number])
            count[PATTERN_NODES * PATTERN_SLOTS + last * 256 + index[i]]++;
    }
}

// The pattern of a leaf, whose neighbours are in the opposite order.
static struct pattern leaf_pattern(const struct pattern_model *patterns, const struct node *leaf, unsigned levels)
{
    uint8_t space[CONTEXT_UNIT + PATTERN_GROUP] = {0};
    struct pattern_group group;
    for (unsigned n = 0; n + 1 < levels; n++) // the other neighbours
        space[CONTEXT_UNIT - patterns->distance[n]] = (uint8_t)(leaf->labels >> 8 * (levels - 1 - n));
    pattern_group_make(patterns, space + CONTEXT_UNIT, &group);
    return pattern_of(patterns, &group, 0, (uint8_t)leaf->labels);
}

// A leaf's number of a choice of its pattern.
static unsigned leaf_choice(const struct node *leaf, struct pattern pattern, unsigned choice)
{
    return choice < leaf->values ? pattern_value(pattern, choice) : leaf->values;
}

// Makes the frequencies of choices from the counts of all nodes, count[node][choice], with an outcome.
static void set_choices(struct pattern_model *patterns, unsigned given, const struct tree *tree, unsigned levels,
                        const uint64_t (*count)[PATTERN_SLOTS], uint64_t (*weight)[PATTERN_SLOTS])
{
    weight[0][0] = FULL_SHARE;
    for (unsigned n = 1; n < tree->first[levels + 1]; n++) {
        const struct node *node = &tree->node[n];
        uint64_t prior[PATTERN_SLOTS];
        uint64_t sum = 0;
        memcpy(prior, weight[node->above], sizeof prior);
        if (node->values > tree->node[node->above].values) { // half of what was new is this value
            prior[node->values] = prior[node->values - 1] - prior[node->values - 1] / 2;
            prior[node->values - 1] /= 2;
        }
        for (unsigned choice = 0; choice <= node->values; choice++)
            sum += count[n][choice];
        for (unsigned choice = 0; choice <= node->values; choice++)
            weight[n][choice] = (count[n][choice] * FULL_SHARE + PRIOR * prior[choice]) / (sum + PRIOR);
        if (n >= tree->first[levels]) {
            const struct pattern pattern = leaf_pattern(patterns, node, levels);
            uint64_t sorted[PATTERN_SLOTS];
            for (unsigned choice = 0; choice <= node->values; choice++)
                sorted[choice] = weight[n][leaf_choice(node, pattern, choice)];
            training_slots(patterns->slots[given][pattern.number].start, PATTERN_SLOTS + 1, node->values + 1U, sorted);
        }
    }
}

// Adds the counts of all nodes, from those of the patterns.
static void sum_counts(const struct pattern_model *patterns, const struct tree *tree, unsigned levels,
                       const uint32_t *counted, uint64_t (*count)[PATTERN_SLOTS])
{
    for (unsigned n = tree->first[levels + 1] - 1; n > 0; n--) {
        const struct node *node = &tree->node[n];
        if (n >= tree->first[levels]) {
            const struct pattern pattern = leaf_pattern(patterns, node, levels);
            for (unsigned choice = 0; choice <= node->values; choice++)
                count[n][leaf_choice(node, pattern, choice)] = counted[pattern.number * PATTERN_SLOTS + choice];
        }
        const unsigned above = tree->node[node->above].values;
        for (unsigned choice = 0; choice <= node->values; choice++)
            count[node->above][choice < above ? choice : above] += count[n][choice];
    }
}

// ---- new values ----

// The bits, times 2^LOG2_BITS, that new values take with their own frequencies.
static uint64_t own_cost(const uint32_t *count, unsigned symbols, uint64_t *sum, unsigned *seen)
{
    uint64_t cost = 0;
    *sum = 0;
    *seen = 0;
    for (unsigned s = 0; s < symbols; s++) {
        *sum += count[s];
        *seen += count[s] > 0;
        cost -= count[s] * log2_fixed(count[s]);
    }
    return cost + *sum * log2_fixed(*sum);
}

// Makes the classes of new values with an outcome: one for those that gain little by a class of their own.
static void set_new_values(struct training *training, unsigned given)
{
    struct pattern_model *patterns = training->model->patterns;
    const unsigned symbols = training->model->symbols;
    const uint32_t(*count)[256] =
        (const uint32_t(*)[256])(training->count + (size_t)given * PATTERN_COUNTS + PATTERN_NODES * PATTERN_SLOTS);
    uint64_t all[NEW_SYMBOLS_MAX] = {0};
    uint64_t rest[NEW_SYMBOLS_MAX];
    uint64_t all_sum = 0;
    for (unsigned before = 0; before < symbols; before++) {
        for (unsigned s = 0; s < symbols; s++) {
            all[s] += count[before][s];
            all_sum += count[before][s];
        }
    }
    memcpy(rest, all, sizeof rest);
    if (all_sum == 0 && given > 0) // class 0 serves
        return;
    const unsigned common_class = patterns->classes++;
    const unsigned most = CLASSES_MAX - (patterns->given - 1 - given); // leaves one for each later outcome
    memset(patterns->class_of[given], (int)common_class, sizeof patterns->class_of[given]);
    const struct context_sample *sample = training->sample;
    const uint64_t times = sample->symbols_in_all / (sample->block * sample->blocks) + 1;
    for (unsigned before = 0; before < symbols && patterns->classes < most; before++) {
        uint64_t sum;
        unsigned seen;
        const uint64_t own = own_cost(count[before], symbols, &sum, &seen);
        uint64_t common = 0; // with the frequencies of all new values together
        for (unsigned s = 0; s < symbols; s++)
            common += count[before][s] * (log2_fixed(all_sum) - log2_fixed(all[s]));
        const uint64_t model = (uint64_t)seen * MODEL_BITS << LOG2_BITS;
        const uint64_t chance = (uint64_t)seen << (LOG2_BITS + 1); // may be saved in the sample, and lost elsewhere
        if (sum == 0 || common <= own + chance || (common - own - chance) * times <= 2 * model)
            continue;
        uint64_t weight[NEW_SYMBOLS_MAX];
        for (unsigned s = 0; s < symbols; s++) {
            weight[s] = count[before][s] * (uint64_t)FULL_SHARE + PRIOR * (all[s] * FULL_SHARE / all_sum);
            rest[s] -= count[before][s];
        }
        patterns->class_of[given][before] = (uint8_t)patterns->classes;
        training_slots(patterns->start[patterns->classes++], NEW_SYMBOLS_MAX + 1, symbols, weight);
    }
    training_slots(patterns->start[common_class], NEW_SYMBOLS_MAX + 1, symbols, rest);
}

int pattern_set_frequencies(struct training *training)
{
    struct context_model *model = training->model;
    struct tree *tree = NULL;
    uint64_t(*count)[PATTERN_SLOTS] = NULL;
    uint64_t(*weight)[PATTERN_SLOTS] = NULL;
    int code = memory_new(&tree, 1, sizeof *tree, "a model");
    THEN(code, memory_new(&count, PATTERN_NODES, sizeof *count, "a model"));
    THEN(code, memory_new(&weight, PATTERN_NODES, sizeof *weight, "a model"));
    if (code == 0) {
        make_tree(tree, model->neighbours);
        model->patterns->classes = 0;
        memset(model->patterns->class_of, 0, sizeof model->patterns->class_of);
        for (unsigned g = 0; g < model->patterns->given; g++) {
            memset(count, 0, PATTERN_NODES * sizeof *count);
            memset(weight, 0, PATTERN_NODES * sizeof *weight);
            sum_counts(model->patterns, tree, model->neighbours, training->count + (size_t)g * PATTERN_COUNTS, count);
            set_choices(model->patterns, g, tree, model->neighbours, (const uint64_t(*)[PATTERN_SLOTS])count, weight);
            set_new_values(training, g);
        }
    }
    free(tree);
    free(count);
    free(weight);
    return code;
}

size_t pattern_write_model(const struct context_model *model, uint8_t *raw)
{
    const struct pattern_model *patterns = model->patterns;
    uint8_t *at = raw;
    memset(raw, 0, PATTERN_HEADER);
    *at++ = (uint8_t)model->symbols;
    *at++ = (uint8_t)model->neighbours;
    for (unsigned n = 0; n <= model->neighbours; n++) {
        const unsigned distance = n == 0 ? model->copied : model->distance[n - 1];
        *at++ = (uint8_t)distance;
        *at++ = (uint8_t)(distance >> 8);
    }
    raw[PATTERN_HEADER - 1] = (uint8_t)patterns->classes;
    at = raw + PATTERN_HEADER;
    *at++ = (uint8_t)patterns->outcomes;
    for (unsigned g = 0; g < patterns->given; g++, at += model->symbols)
        memcpy(at, patterns->class_of[g], model->symbols);
    for (unsigned c = 0; c < ROW_CONTEXTS; c++)
        training_put(&at, model->row[c].start, ROW_KINDS);
    for (unsigned i = 0; i < patterns->given * patterns->patterns; i++) {
        const unsigned p = i % patterns->patterns;
        training_put(&at, patterns->slots[i / patterns->patterns][p].start, patterns->distinct[p] + 1U);
    }
    for (unsigned c = 0; c < patterns->classes; c++)
        training_put(&at, patterns->start[c], model->symbols);
    for (unsigned g = 0; g < GIVEN_MAX && patterns->listed; g++) {
        *at++ = (uint8_t)patterns->lists.count[g];
        for (unsigned i = 0; i < patterns->lists.count[g]; i++) {
            *at++ = (uint8_t)patterns->lists.ply[g][i];
            *at++ = (uint8_t)(patterns->lists.ply[g][i] >> 8);
        }
    }
    return (size_t)(at - raw);
}
