// session.c - a device's context and programs, shared by all backends on it and kept for the next one
#include "solve/opencl/session.h"

#include "solve/opencl/program.h"
#include "solve/opencl/status.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct opencl_session *sessions; // of all devices in use, or used before

static void session_free(struct opencl_session *session)
{
    for (int i = 0; i < SESSION_PROGRAMS; i++) {
        if (session->program[i] != NULL)
            clReleaseProgram(session->program[i]);
    }
    if (session->context != NULL)
        clReleaseContext(session->context);
    free(session);
}

static int session_new(struct opencl_session **result, int device)
{
    *result = NULL;
    struct opencl_session *session = calloc(1, sizeof *session);
    if (session == NULL)
        return error_memory(sizeof *session, "an OpenCL device's session");
    session->number = device;
    int code = opencl_device_get(&session->device, device);
    cl_device_id id = session->device.device_id;
    cl_int status = CL_SUCCESS;
    if (code == 0) {
        session->context = clCreateContext(NULL, 1, &id, NULL, NULL, &status);
        code = opencl_check(status, "making a context");
    }
    if (code != 0) {
        session_free(session);
        return code;
    }
    *result = session;
    return 0;
}

int opencl_session_open(struct opencl_session **result, int device)
{
    int code = 0;
    pthread_mutex_lock(&lock);
    struct opencl_session *session = sessions;
    while (session != NULL && (session->number != device || session->broken))
        session = session->next;
    if (session == NULL) {
        code = session_new(&session, device);
        if (session != NULL) {
            session->next = sessions;
            sessions = session;
        }
    }
    if (session != NULL)
        session->users++;
    pthread_mutex_unlock(&lock);
    *result = session;
    return code;
}

void opencl_session_close(struct opencl_session *session, bool broken)
{
    if (session == NULL)
        return;
    pthread_mutex_lock(&lock);
    session->broken |= broken;
    if (--session->users == 0 && session->broken) {
        struct opencl_session **at = &sessions;
        while (*at != session)
            at = &(*at)->next;
        *at = session->next;
        session_free(session);
    }
    pthread_mutex_unlock(&lock);
}

int opencl_session_program(struct opencl_session *session, cl_program *program, int which, const char *const *names,
                           const char *options)
{
    int code = 0;
    pthread_mutex_lock(&lock);
    if (session->program[which] == NULL)
        code = opencl_program(&session->program[which], session->context, &session->device, names, options);
    *program = session->program[which];
    pthread_mutex_unlock(&lock);
    return code;
}
