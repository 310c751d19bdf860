// The one file that uses MPI: lib/saltus_mpi.so.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include "saltus/driver/ranks.hpp"

namespace {

class MpiRanks final : public saltus::Ranks {
 public:
  MpiRanks() {
    int given = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    std::atexit([] {
      int finished = 0;
      MPI_Finalized(&finished);
      if (finished == 0) MPI_Finalize();
    });
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void send(int to, const std::vector<double>& numbers) override {
    MPI_Send(numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
  }

  bool receive(Message& message) override {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status);
    if (there == 0) return false;
    int count = 0;
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    message.from = status.MPI_SOURCE;
    message.numbers.resize(static_cast<std::size_t>(count));
    MPI_Recv(message.numbers.data(), count, MPI_DOUBLE, message.from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return true;
  }

  [[noreturn]] void end_all(int code) override {
    std::fflush(nullptr);
    MPI_Abort(MPI_COMM_WORLD, code);
    std::_Exit(code);
  }

 private:
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace

extern "C" saltus::Ranks* saltus_mpi_ranks() {
  static MpiRanks ranks;
  return &ranks;
}
