// test_share.c - the tables of a plan, made by several workers: each after its futurebases, within the memory
#include "support/support.h"

#include "make/plan_material.h"
#include "make/share.h"
#include "util/error.h"
#include "util/threads.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

enum { WORKERS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct plan *plan;
static struct share *share;
static bool made[200];
static bool begun[200];
static bool numbered[200]; // the turn with this number has come
static bool ended[200];    // and its table is made
static int behind;         // events of tables other than the foremost
static size_t count;
static int in_work;
static int most_in_work;
static int events;
static bool together;     // several tables may be in work; the first one then ends after an event of another one
static const char *fails; // the table that cannot be made

static size_t number_of(const struct material *material)
{
    size_t i = 0;
    while (i < plan->count && !material_equal(&plan->table[i].material, material))
        i++;
    assert_true(i < plan->count);
    return i;
}

static int make(void *worker, const struct share_turn *turn)
{
    struct material base[PLAN_FUTUREBASES_MAX];
    char name[MATERIAL_NAME_MAX];
    const size_t at = (size_t)(turn->table - plan->table);
    const struct timespec moment = {.tv_nsec = 2000 * 1000};
    int *turns = worker;
    pthread_mutex_lock(&lock);
    ++*turns;
    assert_false(begun[at]);
    begun[at] = true;
    count++;
    assert_in_range(turn->number, 1, plan->to_make); // threads come here in any order
    assert_false(numbered[turn->number]);
    numbered[turn->number] = true;
    for (int i = 0, bases = plan_futurebases(&turn->table->material, base); i < bases; i++)
        assert_true(made[number_of(&base[i])]);
    in_work++;
    most_in_work = in_work > most_in_work ? in_work : most_in_work;
    pthread_mutex_unlock(&lock);
    bool wait = false;
    do {
        nanosleep(&moment, NULL);
        pthread_mutex_lock(&lock);
        wait = together && turn->number == 1 && events == 0;
        pthread_mutex_unlock(&lock);
    } while (wait);
    const struct build_event event = {.name = "it",
                                      .kind = BUILD_PLY,
                                      .table = turn->number,
                                      .share = 1,
                                      .planned = turn->table->seconds,
                                      .planned_solve = turn->table->solve_seconds};
    const int code = share_event(share, &event) != 0 ? error_set(CLTB_E_INTERRUPTED, "interrupted")
                     : fails != NULL && strcmp(fails, material_name(&turn->table->material, name)) == 0
                         ? error_set(CLTB_E_IO, "%s is bad", name)
                         : 0;
    pthread_mutex_lock(&lock);
    in_work--;
    ended[turn->number] = true;
    made[at] = true;
    pthread_mutex_unlock(&lock);
    return code;
}

static int on_event(void *context, const struct build_event *event)
{
    static int inside;
    assert_ptr_equal(context, &events);
    assert_int_equal(++inside, 1); // one at a time
    pthread_mutex_lock(&lock);
    events++;
    behind += event->behind;
    double done = 0;
    for (size_t i = 0; i < plan->count; i++)
        done += made[i] ? plan->table[i].seconds : 0;
    for (size_t i = 1; !event->behind && i < event->table; i++)
        assert_true(ended[i]);
    pthread_mutex_unlock(&lock);
    // Of others in work a part is done, and one that has just been made may not be counted yet.
    assert_true(event->planned_before <= plan->seconds - event->planned + 1e-6);
    if (event->table == plan->to_make) {
        assert_false(event->behind);
        assert_true(fabs(event->planned_before - done) < 1e-6);
        assert_true(fabs(event->planned_before - (plan->seconds - event->planned)) < 1e-6);
    }
    inside--;
    return 0;
}

// Makes the tables of KRPvKR with `memory` bytes.
static int run(uint64_t memory)
{
    const struct build_options options = {.dir = "none", .device = "cpu"};
    const struct material material = material_named("KRPvKR");
    int turns[WORKERS] = {0};
    void *const workers[WORKERS] = {&turns[0], &turns[1], &turns[2]};
    count = 0;
    together = memory == UINT64_MAX;
    events = most_in_work = behind = 0;
    memset(made, 0, sizeof made);
    memset(begun, 0, sizeof begun);
    memset(numbered, 0, sizeof numbered);
    memset(ended, 0, sizeof ended);
    GOOD(plan_make(&plan, &material, 1, &options, NULL));
    assert_true(plan->count < sizeof made);
    struct processors processors = {WORKERS};
    GOOD(share_open(&share, plan, memory, &processors, on_event, &events));
    const int code = share_run(share, WORKERS, workers, make);
    assert_int_equal(processors.idle, WORKERS);
    assert_int_equal(turns[0] + turns[1] + turns[2], count);
    assert_int_equal(in_work, 0);
    share_close(share);
    return code;
}

TEST(test_all)
{
    GOOD(run(UINT64_MAX));
    assert_int_equal(count, plan->to_make);
    assert_int_equal(events, plan->to_make);
    assert_in_range(most_in_work, 2, WORKERS);
    assert_in_range(behind, 1, events - 1);
    plan_free(plan);
}

TEST(test_memory)
{
    GOOD(run(1)); // each is made alone
    assert_int_equal(count, plan->to_make);
    assert_int_equal(most_in_work, 1);
    assert_int_equal(behind, 0);
    plan_free(plan);
}

TEST(test_error)
{
    fails = "KRvKR";
    assert_int_equal(run(UINT64_MAX), CLTB_E_IO);
    assert_string_equal(error_text(), "KRvKR is bad");
    assert_true(count < plan->to_make);
    assert_false(made[plan->count - 1]);
    plan_free(plan);
    fails = NULL;
}

TESTS(NULL, NULL)
