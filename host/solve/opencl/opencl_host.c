// opencl_host.c - a device in use: sessions, queues, kernels, launches
#include "solve/opencl/opencl_host.h"

#include "solve/opencl/profile.h"
#include "solve/opencl/program.h"
#include "util/memory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// In a launch; the minimum is as many as a work-group can have.
enum { LAUNCH_ITEMS_MIN = 1 << 12, LAUNCH_ITEMS = 1 << 28 };

// ---- sessions ----

// A table with pawns opens a backend for every batch of slices. Making a context and loading programs often takes much
// longer than a batch, so these stay until the process ends, unless a backend had trouble with them.
struct opencl_session {
    struct opencl_device device;
    struct opencl_settings settings;
    cl_context context;
    cl_program program[SESSION_PROGRAMS]; // NULL until requested
    int number;                           // of the device
    int users;                            //
    struct opencl_kept kept;              // for the next backend
    bool broken;                          // must not be handed out again
    struct opencl_session *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct opencl_session *sessions; // of all devices in use, or used before

static void session_free(struct opencl_session *session)
{
    opencl_idle_release(&session->kept.idle);
    opencl_pinned_release(&session->kept.pinned);
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
    struct opencl_session *session;
    TRY(memory_new(&session, 1, sizeof *session, "an OpenCL device's session"));
    session->number = device;
    int code = opencl_device_get(&session->device, device);
    THEN(code, opencl_settings_get(&session->settings, &session->device));
    if (code == 0 && session->settings.profile[0] != '\0')
        code = opencl_profile_start(session->settings.profile);
    cl_device_id id = session->device.device_id;
    cl_int status = CL_SUCCESS;
    if (code == 0) {
        session->context = clCreateContext(NULL, 1, &id, NULL, NULL, &status);
        code = opencl_check(status, "making a context");
    }
    if (code == 0)
        *result = session;
    else
        session_free(session);
    return code;
}

static int session_open(struct opencl_session **result, int device)
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

// `broken`: something went wrong with the session, and the next backend gets a new one.
static void session_close(struct opencl_session *session, bool broken)
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
    char all[OPENCL_SETTING_TEXT + 128];
    snprintf(all, sizeof all, "%s %s", options, session->settings.options);
    pthread_mutex_lock(&lock);
    if (session->program[which] == NULL)
        code = opencl_program(&session->program[which], session->context, &session->device, names, all);
    *program = session->program[which];
    pthread_mutex_unlock(&lock);
    return code;
}

static void take_kept(struct opencl_session *session, struct opencl_kept *kept)
{
    pthread_mutex_lock(&lock);
    *kept = session->kept;
    session->kept = (struct opencl_kept){.pinned = {NULL}};
    pthread_mutex_unlock(&lock);
}

// Releases what is left. Several backends may be open at a time, but one of them gives enough for the next.
static void give_kept(struct opencl_session *session, struct opencl_kept *kept)
{
    pthread_mutex_lock(&lock);
    if (!session->broken && kept->idle.bytes > session->kept.idle.bytes) {
        const struct opencl_idle other = session->kept.idle;
        session->kept.idle = kept->idle;
        kept->idle = other;
    }
    if (!session->broken && kept->pinned.bytes > session->kept.pinned.bytes) {
        const struct opencl_pinned other = session->kept.pinned;
        session->kept.pinned = kept->pinned;
        kept->pinned = other;
    }
    pthread_mutex_unlock(&lock);
    opencl_idle_release(&kept->idle);
    opencl_pinned_release(&kept->pinned);
}

// ---- opening ----

int opencl_host_open(struct opencl_host *host, int device)
{
    *host = (struct opencl_host){.queue = NULL};
    TRY(session_open(&host->session, device));
    host->device = host->session->device;
    host->context = host->session->context;
    snprintf(host->description, sizeof host->description, "OpenCL device %d: %s (%s), driver %s, %s", device,
             host->device.name, opencl_device_type_name(host->device.type), host->device.driver, host->device.platform);
    int code = opencl_settings_get(&host->settings, &host->device); // the session's settings may have changed
    for (int i = 0; i < OPENCL_PARAMETERS; i++) {
        const size_t length = strlen(host->description);
        if (host->settings.value[i] > 0)
            snprintf(host->description + length, sizeof host->description - length, ", %s=%u", opencl_parameter_name(i),
                     (unsigned)host->settings.value[i]);
    }
    cl_device_id id = host->device.device_id;
    cl_bool little = CL_FALSE;
    cl_int status = clGetDeviceInfo(id, CL_DEVICE_ENDIAN_LITTLE, sizeof little, &little, NULL);
    THEN(code, opencl_check(status, "asking for the device's byte order"));
    if (code == 0 && !little)
        code = error_set(CLTB_E_DEVICE, "%s: a big-endian device cannot be used", host->device.name);
    if (code == 0) {
        const cl_command_queue_properties timed = opencl_profiles(host) ? CL_QUEUE_PROFILING_ENABLE : 0;
        host->queue = clCreateCommandQueue(host->context, id, timed, &status);
        code = opencl_check(status, "making a command queue");
    }
    if (code == 0)
        take_kept(host->session, &host->kept);
    else
        opencl_host_close(host, code == CLTB_E_DEVICE);
    return code;
}

void opencl_host_close(struct opencl_host *host, bool broken)
{
    if (host->queue != NULL) {
        broken |= clFinish(host->queue) != CL_SUCCESS; // others may use the buffers from now on
        clReleaseCommandQueue(host->queue);
    }
    if (broken) {
        opencl_idle_release(&host->kept.idle);
        opencl_pinned_release(&host->kept.pinned);
    } else {
        give_kept(host->session, &host->kept);
    }
    session_close(host->session, broken);
    *host = (struct opencl_host){.queue = NULL};
}

// ---- kernels ----

int opencl_kernel_make(struct opencl_host *host, struct opencl_kernel *kernel, cl_program program, const char *name,
                       size_t items)
{
    cl_int status;
    kernel->name = name;
    kernel->kernel = clCreateKernel(program, name, &status);
    if (status != CL_SUCCESS)
        return error_set(CLTB_E_DEVICE, "OpenCL: kernel %s on %s: %s (%d)", name, host->device.name,
                         opencl_status_name(status), (int)status);
    size_t most = 1;
    cl_device_id id = host->device.device_id;
    status = clGetKernelWorkGroupInfo(kernel->kernel, id, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
    if (status != CL_SUCCESS)
        return opencl_check(status, "asking for a kernel's work-group size");
    kernel->local = items < most ? items : most;
    if (kernel->local == 0)
        kernel->local = 1;
    return 0;
}

void opencl_kernel_free(struct opencl_kernel *kernel)
{
    if (kernel->kernel != NULL)
        clReleaseKernel(kernel->kernel);
    kernel->kernel = NULL;
}

// The most work-items in a launch: AMD's queues count them in 32 bits, and a display's watchdog ends launches that take
// seconds. $CLTB_LAUNCH_ITEMS sets it for tests.
static cl_ulong launch_items(void)
{
    const char *text = getenv("CLTB_LAUNCH_ITEMS");
    const unsigned long long items = text != NULL ? strtoull(text, NULL, 10) : 0;
    return items >= LAUNCH_ITEMS_MIN && items < LAUNCH_ITEMS ? items : LAUNCH_ITEMS;
}

int opencl_run(struct opencl_host *host, const struct opencl_kernel *kernel, cl_ulong items,
               const struct opencl_argument *arguments, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const cl_int status = clSetKernelArg(kernel->kernel, (cl_uint)i, arguments[i].size, arguments[i].value);
        if (status != CL_SUCCESS)
            return error_set(CLTB_E_DEVICE, "OpenCL: argument %zu of kernel %s: %s (%d)", i, kernel->name,
                             opencl_status_name(status), (int)status);
    }
    const size_t local = kernel->local;
    const size_t most = (size_t)(launch_items() / local * local);
    for (cl_ulong first = 0; first < items; first += most) {
        const cl_ulong left = items - first;
        const size_t global = left < most ? (size_t)((left + local - 1) / local * local) : most;
        const size_t offset = (size_t)first;
        cl_event event = NULL;
        cl_int status = clEnqueueNDRangeKernel(host->queue, kernel->kernel, 1, &offset, &global, &local, 0, NULL,
                                               opencl_profiles(host) ? &event : NULL);
        if (event != NULL)
            status = opencl_profile_add(kernel->name, host->note, left < most ? left : most, 0, event);
        else if (status == CL_SUCCESS && host->settings.wait)
            status = clFinish(host->queue);
        if (status != CL_SUCCESS)
            return error_set(CLTB_E_DEVICE, "OpenCL: running kernel %s on %s: %s (%d)", kernel->name, host->device.name,
                             opencl_status_name(status), (int)status);
    }
    host->note[0] = '\0';
    return 0;
}
