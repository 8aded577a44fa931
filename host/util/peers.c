// peers.c - bytes that processes give each other
#include "util/peers.h"

#include "util/error.h"
#include "util/memory.h"
#include "util/os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void peer_mail_close(struct peer_mail *mail)
{
    for (int r = 0; mail->give != NULL && mail->take != NULL && r < mail->peers->ranks; r++) {
        free(mail->give[r].bytes);
        free(mail->take[r].bytes);
    }
    free(mail->give);
    free(mail->take);
    free(mail->space);
}

int peer_mail_open(struct peer_mail *mail, const struct peers *peers)
{
    const size_t ranks = (size_t)peers->ranks;
    *mail = (struct peer_mail){.peers = peers};
    TRY(memory_new(&mail->give, ranks, sizeof *mail->give, "messages"));
    TRY(memory_new(&mail->take, ranks, sizeof *mail->take, "messages"));
    return memory_new(&mail->space, ranks, sizeof *mail->space, "messages");
}

int peer_mail_room(struct peer_mail *mail, int rank, size_t count, void **room)
{
    struct peer_bytes *give = &mail->give[rank];
    TRY(memory_grow(&give->bytes, &mail->space[rank], give->count + count, 1, "messages"));
    *room = (uint8_t *)give->bytes + give->count;
    give->count += count;
    return 0;
}

int peer_mail_put(struct peer_mail *mail, int rank, const void *bytes, size_t count)
{
    void *room;
    TRY(peer_mail_room(mail, rank, count, &room));
    if (count > 0) // with a count of 0 the bytes may be NULL
        memcpy(room, bytes, count);
    return 0;
}

int peer_mail_exchange(struct peer_mail *mail)
{
    const struct peers *peers = mail->peers;
    for (int r = 0; r < peers->ranks; r++) {
        free(mail->take[r].bytes);
        mail->take[r] = (struct peer_bytes){NULL, 0};
    }
    TRY(peers->exchange(peers->context, mail->give, mail->take));
    for (int r = 0; r < peers->ranks; r++)
        mail->give[r].count = 0;
    return 0;
}

struct failure {
    int64_t code;
    char machine[OS_MACHINE_MAX];
    char text[1024];
};

// The name of this machine, without the identifier of its start.
static const char *machine(char *name)
{
    os_machine(name);
    name[strcspn(name, " ")] = '\0';
    return name;
}

int peers_agree(const struct peers *peers, int code)
{
    struct peer_mail mail;
    struct failure own = {.code = code};
    const struct failure *first = NULL;
    int first_rank = 0;
    int same = 0; // processes with the same sentence as the first
    machine(own.machine);
    snprintf(own.text, sizeof own.text, "%s", error_text());
    int result = peer_mail_open(&mail, peers);
    for (int r = 0; result == 0 && code != 0 && r < peers->ranks; r++)
        result = peer_mail_put(&mail, r, &own, sizeof own);
    if (result == 0)
        result = peer_mail_exchange(&mail);
    for (int r = 0; result == 0 && r < peers->ranks; r++) {
        const struct failure *failure = mail.take[r].bytes;
        if (mail.take[r].count != sizeof *failure) // process r has not failed
            continue;
        first_rank = first == NULL ? r : first_rank;
        first = first == NULL ? failure : first;
        same += strcmp(failure->text, first->text) == 0;
    }
    if (first != NULL) {
        *peers->agreed = true;
        result = error_set((int)first->code, "%s", first->text);
        if (same < peers->ranks)
            error_prefix(result, "process %d of %d, on %s", first_rank, peers->ranks, first->machine);
    }
    peer_mail_close(&mail);
    return result;
}

int peers_finish(const struct peers *peers, int code)
{
    char name[OS_MACHINE_MAX];
    bool told;
    if (peers == NULL || peers->finish == NULL || *peers->agreed)
        return code;
    if (peers->finish(peers->context, code != 0, &told) != 0)
        return error_prefix(code != 0 ? code : error_set(CLTB_E_IO, "another process has failed"),
                            "process %d of %d, on %s", peers->rank, peers->ranks, machine(name));
    return code == 0 && !told ? 0 : peers_agree(peers, told ? 0 : code);
}
