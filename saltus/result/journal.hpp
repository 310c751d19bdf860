#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "saltus/base/error.hpp"
#include "saltus/result/digest.hpp"

namespace saltus {

/// What a journal belongs to: "program" → "saltus 0.1.0", "model" → its text, "rtol" → "1e-10", …
using JournalIdentity = std::vector<std::pair<std::string, std::string>>;

/// Another run is writing the journal now.
class JournalInUse : public Error {
 public:
  using Error::Error;
};

/// Finished pieces of a long computation on disk: a file that only grows, one record per piece, each with the SHA-256 of
/// everything up to its end: none can be changed, exchanged, repeated or left out without being seen. A piece that was
/// synced survives anything that ends the program; a record that was cut short is not there. Only the places of the records are
/// in memory. Failures to write are Error(file), and leave the file with the records that were complete before.
class Journal {
 public:
  enum class Mode {
    begin,  // a new one; Error(usage) if there is one already, JournalInUse if a run is at it
    resume,  // the one that is there, or a new one; Error(usage) if it belongs to other work
  };
  /// Can a record be of this work? Of a journal that is there only records are taken that are whole and can be.
  using RecordCheck = std::function<bool(std::uint64_t key, std::span<const double> values)>;
  Journal(std::string path, const JournalIdentity& identity, Mode mode, const RecordCheck& is_possible = {});
  /// Without a name: gone when it is closed.
  Journal();
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  bool has(std::uint64_t key) const { return places_.contains(key); }
  std::vector<double> read(std::uint64_t key) const;
  /// How many pieces there are, whether synced or not, and how many of them surely survive.
  std::size_t size() const { return places_.size(); }
  std::size_t synced() const { return synced_; }

  void append(std::uint64_t key, std::span<const double> values);
  /// Waits until everything appended is on the disk.
  void sync();
  /// The computation is complete and written elsewhere: removes the file.
  void discard();
  const std::string& path() const { return path_; }

  static std::string path_for(const std::string& result_file) { return result_file + ".journal"; }

 private:
  struct Place {
    std::uint64_t offset;  // of the numbers
    std::uint64_t count;
  };
  void open(Mode mode);
  void write_header(const std::string& header);
  void check_header(const std::string& header);
  void find_records(std::uint64_t from, const RecordCheck& is_possible);
  std::vector<double> numbers_at(const Place& place) const;

  std::string path_;
  int file_ = -1;
  std::uint64_t end_ = 0;
  Digest last_{};  // of everything up to the end
  std::size_t synced_ = 0;
  std::unordered_map<std::uint64_t, Place> places_;
};

}  // namespace saltus
