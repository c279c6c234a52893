/* A disk that is full at one write, told by number: counts the calls that need room below a folder, and refuses one.
 *
 * Preloaded into a test's child. All threads count together, which the tools that count for each thread alone cannot
 * show. In the environment:
 *
 *   TUSAB_FAULT_UNDER  the folder, absolute
 *   TUSAB_FAULT_AT     which call is refused, from 1 on; 0 refuses none
 *   TUSAB_FAULT_LASTS  there from that call on: nothing more finds room, and what is refused first is half written;
 *                      renaming, syncing and shrinking need none and go on
 *
 * At its end the process says on its standard error how many calls there were, and each that it refused.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *under;
static long at;
static int lasts;
static atomic_long calls;

__attribute__((constructor)) static void begin(void) {
    const char *number = getenv("TUSAB_FAULT_AT");
    under = getenv("TUSAB_FAULT_UNDER");
    at = number ? atol(number) : 0;
    lasts = getenv("TUSAB_FAULT_LASTS") != NULL;
}

__attribute__((destructor)) static void end(void) {
    if (under)
        dprintf(2, "fault calls %ld\n", atomic_load(&calls));
}

enum need { NEEDS_NO_ROOM, NEEDS_ROOM };
enum fate { GOES_ON, REFUSED, HALF_WRITTEN };

static enum fate fate_of(const char *call, const char *path, enum need need) {
    if (!under || strncmp(path, under, strlen(under)) != 0)
        return GOES_ON;
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (at <= 0 || (lasts ? number < at || need == NEEDS_NO_ROOM : number != at))
        return GOES_ON;
    dprintf(2, "fault refused %ld %s %s\n", number, call, path);
    errno = ENOSPC;
    return lasts && number == at ? HALF_WRITTEN : REFUSED;
}

static enum fate fate_of_file(const char *call, int fd, enum need need) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (length < 0)
        return GOES_ON;
    path[length] = 0;
    return fate_of(call, path, need);
}

/* How much of it is written; 0 for nothing at all. */
static size_t room_for(const char *call, int fd, size_t length) {
    switch (fate_of_file(call, fd, NEEDS_ROOM)) {
    case GOES_ON:
        return length;
    case HALF_WRITTEN:
        return length / 2;
    default:
        return 0;
    }
}

ssize_t write(int fd, const void *bytes, size_t length) {
    size_t room = room_for("write", fd, length);
    return length && !room ? -1 : syscall(SYS_write, fd, bytes, room);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
    size_t room = room_for("pwrite", fd, length);
    return length && !room ? -1 : syscall(SYS_pwrite64, fd, bytes, room, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return pwrite64(fd, bytes, length, offset); }

ssize_t writev(int fd, const struct iovec *parts, int count) {
    return fate_of_file("writev", fd, NEEDS_ROOM) ? -1 : syscall(SYS_writev, fd, parts, count);
}

ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t length, unsigned flags) {
    if (fate_of_file("copy_file_range", to, NEEDS_ROOM))
        return -1;
    return syscall(SYS_copy_file_range, from, from_at, to, to_at, length, flags);
}

ssize_t sendfile64(int to, int from, off64_t *offset, size_t length) {
    return fate_of_file("sendfile", to, NEEDS_ROOM) ? -1 : syscall(SYS_sendfile, to, from, offset, length);
}

int ftruncate64(int fd, off64_t length) {
    struct stat status;
    enum need need = fstat(fd, &status) == 0 && length > status.st_size ? NEEDS_ROOM : NEEDS_NO_ROOM;
    return fate_of_file("ftruncate", fd, need) ? -1 : (int)syscall(SYS_ftruncate, fd, length);
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

int fallocate64(int fd, int mode, off64_t offset, off64_t length) {
    return fate_of_file("fallocate", fd, NEEDS_ROOM) ? -1 : (int)syscall(SYS_fallocate, fd, mode, offset, length);
}

int fallocate(int fd, int mode, off_t offset, off_t length) { return fallocate64(fd, mode, offset, length); }

/* Gives its error instead of setting it. */
int posix_fallocate64(int fd, off64_t offset, off64_t length) {
    return fallocate64(fd, 0, offset, length) == 0 ? 0 : errno;
}

int posix_fallocate(int fd, off_t offset, off_t length) { return posix_fallocate64(fd, offset, length); }

int fsync(int fd) {
    return fate_of_file("fsync", fd, NEEDS_NO_ROOM) ? -1 : (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd) {
    return fate_of_file("fdatasync", fd, NEEDS_NO_ROOM) ? -1 : (int)syscall(SYS_fdatasync, fd);
}

/* Only what makes a file needs room. */
static int open_at(int folder, const char *path, int flags, mode_t mode) {
    if ((flags & O_CREAT) && faccessat(folder, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0
        && fate_of("create", path, NEEDS_ROOM))
        return -1;
    return syscall(SYS_openat, folder, path, flags, mode);
}

#define OPENS(name)                                                                                                    \
    int name(const char *path, int flags, ...) {                                                                       \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;                                                    \
        va_end(rest);                                                                                                  \
        return open_at(AT_FDCWD, path, flags, mode);                                                                   \
    }

OPENS(open)
OPENS(open64)

int mkdir(const char *path, mode_t mode) {
    return fate_of("mkdir", path, NEEDS_ROOM) ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int rename(const char *from, const char *to) {
    return fate_of("rename", to, NEEDS_NO_ROOM) ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
