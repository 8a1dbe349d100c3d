#include "cpu_device/runtime/executor.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace rungs::cpu_device {
namespace {

constexpr uint64_t no_block = UINT64_MAX;

/// Threads that wait for work. It is never destroyed: at exit its threads may be
/// waiting.
class Pool {
 public:
  static Pool& get() {
    static Pool* const pool = new Pool;
    return *pool;
  }

  /// Calls work(0) here and work(1) ... work(count - 1) on the pool's threads.
  void run(unsigned count, const std::function<void(unsigned)>& work) {
    std::unique_lock lock(mutex_);
    while (threads_ + 1 < count) {
      std::thread(&Pool::serve, this, ++threads_).detach();
    }
    work_ = &work;
    count_ = count;
    running_ = count - 1;
    ++round_;
    lock.unlock();
    start_.notify_all();
    work(0);
    lock.lock();
    done_.wait(lock, [&] { return running_ == 0; });
  }

 private:
  void serve(unsigned index) {
    uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
      start_.wait(lock, [&] { return round_ != seen; });
      seen = round_;
      if (index >= count_) continue;
      const std::function<void(unsigned)>& work = *work_;
      lock.unlock();
      work(index);
      lock.lock();
      if (--running_ == 0) done_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable start_, done_;
  const std::function<void(unsigned)>* work_ = nullptr;
  unsigned threads_ = 0, count_ = 0, running_ = 0;
  uint64_t round_ = 0;
};

/// Collects what blocks print and writes it in the order of the blocks.
class Printer {
 public:
  void add(uint64_t block, const std::string& text) {
    const std::lock_guard lock(mutex_);
    texts_[block] += text;
    bytes_ += text.size();
  }

  bool is_large() const { return bytes_ > most_bytes; }

  /// Writes what blocks before this one printed.
  void write_before(uint64_t block) {
    const std::lock_guard lock(mutex_);
    while (!texts_.empty() && texts_.begin()->first < block) {
      const std::string& text = texts_.begin()->second;
      std::fwrite(text.data(), 1, text.size(), stdout);
      bytes_ -= text.size();
      texts_.erase(texts_.begin());
    }
  }

 private:
  static constexpr size_t most_bytes = 1 << 20;
  std::mutex mutex_;
  std::map<uint64_t, std::string> texts_;
  std::atomic<size_t> bytes_ = 0;  // asked after every block, so without the lock
};

/// One launch while it runs.
class Run {
 public:
  Run(const Launch& launch, const GlobalMemory& memory, unsigned threads)
      : launch_(launch),
        memory_(memory),
        blocks_(launch.grid.count()),
        current_(threads),
        counts_(threads) {
    for (auto& block : current_) block = 0;
  }

  void work(unsigned thread) {
    // With a copy of the launch, so that what a block prints is known to be its
    // own.
    Launch launch = launch_;
    std::atomic<uint64_t>& current = current_[thread];
    launch.print = [&](const std::string& text) { printer_.add(current, text); };
    uint64_t block = 0;
    try {
      BlockRunner runner(launch, memory_);
      for (;;) {
        block = next_.fetch_add(1);
        // A block after a faulting one need not run, but every block before it
        // must: one of those may fault too, and then its fault is the one to tell.
        if (block >= blocks_ || block > faulting_) break;
        current = block;
        runner.run(block);
        if (printer_.is_large()) write_finished();
      }
      counts_[thread] = runner.counts();
    } catch (...) {
      const std::lock_guard lock(fault_mutex_);
      if (block < faulting_ || !fault_) {
        faulting_ = block;
        fault_ = std::current_exception();
      }
    }
    current = no_block;
  }

  /// The launch's outcome, once all threads are through.
  KernelCounts finish() {
    printer_.write_before(fault_ ? faulting_ + 1 : no_block);
    if (fault_) std::rethrow_exception(fault_);
    KernelCounts sum;
    for (const KernelCounts& counts : counts_) sum.add(counts);
    return sum;
  }

 private:
  /// Writes what no block still running can come before. A thread that took a block
  /// and has not entered it yet still shows its last one, which is smaller.
  void write_finished() {
    uint64_t first = no_block;
    for (const auto& block : current_) first = std::min(first, block.load());
    if (first != no_block)
      printer_.write_before(std::min<uint64_t>(first, faulting_));
  }

  const Launch& launch_;
  const GlobalMemory& memory_;
  const uint64_t blocks_;
  std::atomic<uint64_t> next_ = 0;
  std::atomic<uint64_t> faulting_ = no_block;
  std::mutex fault_mutex_;
  std::exception_ptr fault_;
  std::vector<std::atomic<uint64_t>> current_;
  std::vector<KernelCounts> counts_;
  Printer printer_;
};

}  // namespace

KernelCounts run_blocks(Launch launch, const GlobalMemory& memory,
                        unsigned threads) {
  const auto useful = static_cast<unsigned>(
      std::min<uint64_t>(std::max(threads, 1u), launch.grid.count()));
  Run run(launch, memory, useful);
  if (useful == 1) {
    run.work(0);
  } else {
    Pool::get().run(useful, [&](unsigned thread) { run.work(thread); });
  }
  return run.finish();
}

}  // namespace rungs::cpu_device
