# mingw.cmake - toolchain file: Windows programs from Linux, by mingw-w64 (tools/windows.sh uses it)
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(prefix x86_64-w64-mingw32)
# Debian has two of them; this one has the threads of POSIX.
find_program(CMAKE_C_COMPILER NAMES ${prefix}-gcc-posix ${prefix}-gcc REQUIRED)
find_program(CMAKE_RC_COMPILER ${prefix}-windres)
# All that is linked is in the program: it runs where no other file of ours is. LIBXML_STATIC: libxml2's headers ask.

set(CMAKE_C_FLAGS_INIT "-DLIBXML_STATIC")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-static")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
