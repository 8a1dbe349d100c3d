#pragma once

#include <string>

namespace rungs {

/// Throws Stop (2) if `path` cannot be written, before a long run and not after it.
void require_writable(const std::string& path);

/// Writes `text` so that no reader ever sees half of it: to a new file beside
/// `path`, synced, then renamed. What is no regular file, a pipe or a device, is
/// written directly. Throws Stop (1) with the reason if that fails; `path` is then
/// as it was.
void write_whole(const std::string& path, const std::string& text);

}  // namespace rungs
