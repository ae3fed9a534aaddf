// SPDX-License-Identifier: Apache-2.0
// Fails the n-th allocation, or lets the time run out at the n-th look at the clock, while a conformance case
// is read, copied, compiled, run, and run again. The failed call must throw what describes the fault. Then
// the same call on the same objects must succeed with the same results, and so must a run of another model.
//
// With WASMVINO_FAULTS=all every n of every case is tried, which takes hours; otherwise a sample.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <new>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "cli/arrays.h"
#include "cli/model_files.h"
#include "core/call.h"
#include "frontends/frontends.h"
#include "ops/registry.h"
#include "runtime/compiled_model.h"

namespace {

// Counts calls of one kind. The call that makes `left` 0 fails.
struct Fault {
  bool armed = false;
  size_t left = 0;
  size_t seen = 0;
  bool fired = false;

  bool is_due() {
    if (!armed) return false;
    ++seen;
    if (left == 0 || --left > 0) return false;
    fired = true;
    return true;
  }
};
Fault of_allocations, of_clock;

}  // namespace

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // g++ 12 does not see that both are replaced
#endif

// The linker replaces these functions (tests/CMakeLists.txt).
extern "C" {
void* __real_malloc(size_t bytes);
void* __real_aligned_alloc(size_t alignment, size_t bytes);
int __real_clock_gettime(clockid_t id, timespec* time);

void* __wrap_malloc(size_t bytes) { return of_allocations.is_due() ? nullptr : __real_malloc(bytes); }
void* __wrap_aligned_alloc(size_t alignment, size_t bytes) {
  return of_allocations.is_due() ? nullptr : __real_aligned_alloc(alignment, bytes);
}
int __wrap_clock_gettime(clockid_t id, timespec* time) {
  const int result = __real_clock_gettime(id, time);
  if (of_clock.is_due()) time->tv_sec += 1'000'000;
  return result;
}
}

void* operator new(size_t bytes) {
  if (void* memory = __wrap_malloc(bytes ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
// Callers without exceptions, such as std::stable_sort, work without this memory.
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return __real_malloc(bytes ? bytes : 1); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace wasmvino::test {
namespace {

namespace fs = std::filesystem;
using Request = std::unique_ptr<runtime::InferRequest>;

const fs::path kCases = fs::path(WASMVINO_TEST_DATA) / "cases" / "ops";

std::vector<Tensor> inputs_of(const fs::path& folder, const runtime::CompiledModel& compiled) {
  std::vector<Tensor> inputs;
  for (const runtime::Port& port : compiled.inputs()) {
    const std::string number = std::to_string(inputs.size());
    fs::path file;
    for (const std::string& stem : {"in_" + number, "in_0_" + number}) {
      for (const char* suffix : {".npy", ".json"}) {
        if (fs::exists(folder / (stem + suffix))) file = folder / (stem + suffix);
      }
    }
    inputs.push_back(cli::read_array(file, port.type));
  }
  return inputs;
}

std::string bytes_of(const Tensor& tensor) {
  std::string bytes = cat(tensor.type(), " ", tensor.shape(), " ");
  if (tensor.type() == ElementType::kString) {
    for (size_t i = 0; i < tensor.size(); ++i) bytes += cat(tensor.data<std::string>()[i], "\n");
  } else {
    bytes.append(tensor.data<char>(), tensor.byte_size());
  }
  return bytes;
}

std::vector<std::string> outputs_of(runtime::InferRequest& request) {
  std::vector<std::string> outputs;
  for (size_t i = 0; i < request.compiled_model().outputs().size(); ++i)
    outputs.push_back(bytes_of(request.output(i)));
  return outputs;
}

// A case with the objects that its calls make and use.
class Case {
 public:
  explicit Case(fs::path folder) : folder_(std::move(folder)) {
    options_.overwrites_inputs = true;
    files_ = cli::read_model_files(folder_ / "model.xml");
    read();
    compile();
    inputs_ = inputs_of(folder_, *compiled_);
    make_request();
    request_->infer();
    expected_ = outputs_of(*request_);
  }

  // The calls that are made to fail, in order.
  void read() { model_ = frontends::read(files_.model, files_.companions, ops::registry()); }
  void copy_and_write() {
    std::string weights;
    const auto take = [&](const void* bytes, size_t count) {
      weights.append(static_cast<const char*>(bytes), count);
    };
    frontends::write(*model_->clone(), take, {});
  }
  void compile() { compiled_ = runtime::CompiledModel::compile(*model_, ops::registry(), options_); }
  void run() { request_->infer({}); }
  void observe() {
    std::vector<runtime::ObservedPort> ports;
    for (const auto& node : model_->nodes) {
      if (!node->outputs.empty() && node->kind == model::NodeKind::kOperation)
        ports.push_back({{node->name}, 0});
    }
    request_->observe(ports);
    request_->infer({});
    request_->observe({});
  }

  void make_request() {
    request_ = compiled_->create_infer_request();
    set_inputs();
  }
  void reset() { request_->reset_state(); }
  // As callers do before each run: it may overwrite them.
  void set_inputs() {
    for (size_t i = 0; i < inputs_.size(); ++i) request_->set_input(i, inputs_[i].clone());
  }
  void expect_results() { EXPECT_EQ(outputs_of(*request_), expected_); }
  std::string name() const { return folder_.filename().string(); }

 private:
  fs::path folder_;
  runtime::CompileOptions options_;
  cli::ModelFiles files_;
  std::unique_ptr<model::Model> model_;
  std::shared_ptr<runtime::CompiledModel> compiled_;
  std::vector<Tensor> inputs_;
  Request request_;
  std::vector<std::string> expected_;
};

// Runs `call` with the n-th event failing; 0: none. Returns the number of events.
size_t with_fault(Fault& fault, size_t n, const std::function<void()>& call, const std::string& what) {
  const Limits limits{.milliseconds = 100'000};
  const Call around(limits);
  const CallScope scope(around);
  fault = {.armed = true, .left = n};
  bool threw = false;
  std::string refusal;
  try {
    call();
    fault.armed = false;
  } catch (const Error& error) {
    fault.armed = false;
    threw = error.code() == ErrorCode::kOutOfMemory || error.code() == ErrorCode::kLimitExceeded;
    if (!threw) refusal = error.what();
  } catch (const std::bad_alloc&) {
    fault.armed = false;
    threw = true;
  }
  EXPECT_EQ(refusal, "") << what;
  EXPECT_TRUE(threw || !fault.fired || !refusal.empty()) << what << ": the call hides its failure";
  return fault.seen;
}

bool tries_all() {
  const char* wanted = std::getenv("WASMVINO_FAULTS");
  return wanted != nullptr && std::string(wanted) == "all";
}

// The numbers of the events to fail: all of a few, or some of them, the first and the last included.
std::vector<size_t> sample(size_t events, size_t most, std::mt19937& random) {
  std::set<size_t> numbers;
  if (tries_all() || events <= most) {
    for (size_t n = 1; n <= events; ++n) numbers.insert(n);
  } else {
    numbers = {1, events};
    while (numbers.size() < most) numbers.insert(1 + random() % events);
  }
  return {numbers.begin(), numbers.end()};
}

enum class Stage { kRead, kCopy, kCompile, kFirstRun, kRun, kObserve };
constexpr std::pair<Stage, const char*> kStages[] = {
    {Stage::kRead, "read"},       {Stage::kCopy, "copy and write"},
    {Stage::kCompile, "compile"}, {Stage::kFirstRun, "first run"},
    {Stage::kRun, "run"},         {Stage::kObserve, "observe"}};

class Faults {
 public:
  // Fails at most `most` events of each kind in each call.
  explicit Faults(size_t most) : most_(most), other_(kCases / "Abs_2d") {}

  void try_case(const fs::path& folder) {
    Case tried(folder);
    for (const auto& [stage, name] : kStages) {
      for (Fault* fault : {&of_allocations, &of_clock}) {
        prepare(tried, stage);
        const size_t events = with_fault(*fault, 0, [&] { call(tried, stage); }, "");
        for (const size_t n : sample(events, most_, random_)) {
          const std::string what =
              cat(tried.name(), ", ", name, ", ", fault == &of_clock ? "look at the clock " : "allocation ",
                  n, " of ", events);
          prepare(tried, stage);
          with_fault(*fault, n, [&] { call(tried, stage); }, what);
          repeat(tried, stage, what);
          ++count;
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }

  size_t count = 0;

 private:
  static void prepare(Case& tried, Stage stage) {
    if (stage == Stage::kFirstRun) tried.make_request();
    tried.reset();
    tried.set_inputs();
  }

  static void call(Case& tried, Stage stage) {
    switch (stage) {
      case Stage::kRead:
        return tried.read();
      case Stage::kCopy:
        return tried.copy_and_write();
      case Stage::kCompile:
        return tried.compile();
      case Stage::kFirstRun:
      case Stage::kRun:
        return tried.run();
      case Stage::kObserve:
        return tried.observe();
    }
  }

  // Neither the objects of the failed call nor those of another model suffer from the fault.
  void repeat(Case& tried, Stage stage, const std::string& what) {
    try {
      tried.set_inputs();
      call(tried, stage);
      if (stage == Stage::kRead) tried.compile();
      if (stage == Stage::kRead || stage == Stage::kCompile) tried.make_request();
      if (stage != Stage::kFirstRun && stage != Stage::kRun) {
        tried.reset();
        tried.set_inputs();
        tried.run();
      }
      tried.expect_results();
      other_.set_inputs();
      other_.run();
      other_.expect_results();
    } catch (const Error& error) {
      ADD_FAILURE() << what << ": the call after it failed: " << error.what();
    }
    EXPECT_FALSE(testing::Test::HasFailure()) << what;
  }

  const size_t most_;
  Case other_;
  std::mt19937 random_{38};
};

// The folders of cases by operation. Random numbers differ from run to run.
std::map<std::string, std::vector<fs::path>> cases_by_operation() {
  std::map<std::string, std::vector<fs::path>> cases;
  for (const auto& entry : fs::directory_iterator(kCases)) {
    const std::string name = entry.path().filename().string();
    const std::string operation = name.substr(0, name.find('_'));
    if (operation != "RandomUniform" && operation != "Multinomial") cases[operation].push_back(entry.path());
  }
  for (auto& [operation, folders] : cases) std::sort(folders.begin(), folders.end());
  return cases;
}

TEST(Faults, LeaveBodiesVariablesAndDataDependentShapesUsable) {
  const auto cases = cases_by_operation();
  Faults faults(24);
  for (const std::string operation : {"Loop", "TensorIterator", "If", "ReadValue", "NonZero", "Unique"}) {
    const std::vector<fs::path>& folders = cases.at(operation);
    const size_t step = tries_all() ? 1 : std::max<size_t>(1, folders.size() / 4);
    for (size_t i = 0; i < folders.size() && !HasFailure(); i += step) faults.try_case(folders[i]);
  }
  EXPECT_GT(faults.count, 1000u);
}

TEST(Faults, LeaveEachOperationUsable) {
  Faults faults(4);
  std::mt19937 random(6);
  for (const auto& [operation, folders] : cases_by_operation()) {
    if (HasFailure()) return;
    if (!tries_all()) {
      faults.try_case(folders[random() % folders.size()]);
    } else {
      for (const fs::path& folder : folders) faults.try_case(folder);
    }
  }
  EXPECT_GT(faults.count, 1000u);
}

}  // namespace
}  // namespace wasmvino::test
