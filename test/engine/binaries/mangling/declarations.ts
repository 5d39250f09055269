/** C++ whose names use as much of the mangling grammar as a compiler can be brought to write, and what compiles them. */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";

const grammar = `
#include <cstddef>
#include <filesystem>
#include <functional>
#include <list>
#include <regex>
#include <string>
#include <utility>
#include <vector>
using namespace std;
struct Box { int width; void shut() const &; void open() &&; template <class T> operator T() const; operator int(); };
int operator""_km(unsigned long long) { return 0; }
template <class T> Box::operator T() const { return T(); }
template Box::operator vector<int>() const;
template Box::operator char*() const;
Box::operator int() { return 1; }
void Box::shut() const & {}
void Box::open() && {}
template <class T, class U> auto add(T t, U u) -> decltype(t + u) { return t + u; }
template auto add<int, long>(int, long) -> decltype(1 + 1L);
template <class T> auto member(T t) -> decltype(t.width) { return t.width; }
template auto member(Box) -> int;
template <class... T> auto count(T... t) -> decltype(sizeof...(t) + sizeof...(T)) { return 0; }
template auto count(int, char, Box) -> size_t;
template <class... T> auto sum(T... t) -> decltype((t + ...)) { return (t + ...); }
template auto sum(int, long) -> long;
template <class... T> auto sumFrom(T... t) -> decltype((0 + ... + t)) { return (0 + ... + t); }
template auto sumFrom(int, long) -> long;
template <int N, bool B, char C, long L, unsigned U> struct Values {};
void values(Values<-3, true, 'a', -5l, 7u>) {}
int callback(int, Box) { return 0; }
template <auto X> struct Any {};
void any(Any<nullptr>, Any<&Box::width>, Any<&Box::shut>, Any<callback>) {}
void arrays(int (&)[3], int (*)[2][4], const char (&)[5], int* (*)[3]) {}
typedef int (*Function)(char);
Function returnsFunction(Function (*)(Function)) { return 0; }
template <class T> Function (*returnsMore(T))(long) { return 0; }
template Function (*returnsMore(int))(long);
void memberPointers(int Box::*, void (Box::*)() const &, void (Box::*)() &&, int Box::* const*) {}
void exceptions(void (*)() noexcept, void (Box::*)() const noexcept) {}
template <class T> void reference(const T&) {}
template void reference<void()>(void (&)());
template void reference<int[3]>(const int (&)[3]);
template void reference<const volatile int* const>(const volatile int* const&);
template <class T> void forward2(T&&) {}
template void forward2<int&>(int&);
template void forward2<int>(int&&);
template void forward2<int (&)(char)>(int (&)(char));
template <template <class...> class TT, class... A> void templates(TT<A...>) {}
template void templates(vector<int>);
typedef float Four __attribute__((vector_size(16)));
void vectors(Four, Four*) {}
void complexes(_Complex double, _Complex float*) {}
void builtins(__int128, unsigned __int128, __float128, long double, char8_t, char16_t, char32_t, wchar_t, nullptr_t, signed char, ...) {}
auto lambda = [](auto a, auto... b) { static int q; return [=](int) { return a; }(1); };
int useLambda() { return lambda(1, 2, 'c'); }
struct Defaults { void f(int (*p)() = [] { return 1; }, int (*q)() = [] { return 2; }) { p(); q(); } int m = [] { return 4; }(); };
void useDefaults() { Defaults d; d.f(); }
namespace { struct Hidden { virtual ~Hidden(); virtual int n(); }; Hidden::~Hidden() {} int Hidden::n() { return 1; } }
int useHidden() { Hidden h; return h.n(); }
struct First { virtual void a(); virtual ~First(); };
struct Second { virtual void b(); virtual Second* c(); };
struct Both : First, virtual Second { void a() override; void b() override; Both* c() override; Both(); ~Both(); };
void First::a() {} First::~First() {} void Second::b() {} Second* Second::c() { return this; }
void Both::a() {} void Both::b() {} Both* Both::c() { return this; } Both::Both() {} Both::~Both() {}
Both& single() { static Both b; static thread_local int t = useHidden(); return b; }
template <class T, typename = enable_if_t<(sizeof(T) > 2)>> void large(T) {}
template void large(int);
template <class T> typename enable_if<!is_void<T>::value && (sizeof(T) > 1 || is_same<T, int>::value), T>::type chosen(T t) { return t; }
template int chosen(int);
template <class T> auto allocates() -> decltype(new T(1)) { return 0; }
template int* allocates<int>();
template <class T> auto casts(T t) -> decltype(static_cast<long>(t), (int)t, T{t}, const_cast<T&>(t)) { return t; }
template auto casts(int) -> int&;
struct Outer { struct Inner { Outer b(); }; enum { one }; struct { int q; } unnamed; template <class T> struct Deep { void z(T); }; };
Outer Outer::Inner::b() { return {}; }
template <class T> void Outer::Deep<T>::z(T) {}
template struct Outer::Deep<long>;
template <class T> void use(T) {}
void locals() {
  use(Outer::one); Outer o; use(o.unnamed);
  struct Local { void m(Local, Outer) {} } l;
  l.m(l, o); use(l); auto f = [](Outer, Local) {}; use(f); f(o, l);
}
inline namespace version { struct Stream { Stream& operator<<(int); Stream& operator()(int); Stream& operator[](int); void* operator new(size_t); void operator delete[](void*); Stream* operator->(); Stream& operator,(int); }; }
Stream& Stream::operator<<(int) { return *this; } Stream& Stream::operator()(int) { return *this; } Stream& Stream::operator[](int) { return *this; }
void* Stream::operator new(size_t) { return 0; } void Stream::operator delete[](void*) {} Stream* Stream::operator->() { return 0; } Stream& Stream::operator,(int) { return *this; }
template <class T> requires (sizeof(T) > 1) void constrained(T) {}
template void constrained(int);
extern "C" { typedef void (*Plain)(int); }
void plain(Plain) {}
void* qualified(int* __restrict p, int* const volatile q) { return p; }
`;

/** Declarations whose names differ between the two ABIs of std::string. */
const strings = `
#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>
namespace shop {
struct Item { std::string name; Item(std::string, const std::string&, std::string*); ~Item(); std::string title() const; std::string title(int); static std::string shared; int count; };
Item::Item(std::string, const std::string&, std::string*) {} Item::~Item() {} std::string Item::title() const { return name; } std::string Item::title(int) { return name; } std::string Item::shared;
struct Special : Item { using Item::Item; }; Special make() { return Special("", "", nullptr); }
std::string first(std::vector<std::string>, std::string) { return ""; }
std::list<int> numbers() { return {}; }
void take(std::list<std::string>, std::wstring, std::stringstream&, std::ostream&, std::ostringstream&, std::regex) {}
std::map<std::string, std::list<int>> table(std::function<std::string(std::string)>) { return {}; }
std::filesystem::path way(const std::filesystem::path&) { return {}; }
template <class T> std::string show(T) { return ""; }
template std::string show(std::string); template std::string show(int);
template <class... T> void all(const T&...) {}
template void all(const std::string&, const int&, const std::string&); template void all(const std::char_traits<char>&, const std::string&);
void views(std::basic_string_view<char>, std::string, std::allocator<char>) {}
std::vector<std::string> names; std::string word;
void none(int, std::ostream&, std::vector<int>) {}
struct Shape { virtual std::string area(std::string) { return ""; } virtual ~Shape() {} }; struct Round : virtual Shape { std::string area(std::string) override { return "r"; } };
Shape* shape() { return new Round; }
int counter(std::string s) { static std::string last; last = s; return [](std::string q) { return q.size() > 1; }(s); }
}
std::string word; 
`;

/** What a compiler made of one of the sources: the mangled names in the object file, local ones too. */
export function compiledNames(which: "grammar" | "strings", ...flags: readonly string[]): readonly string[] {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "abiding-mangling-"));
  try {
    fs.writeFileSync(path.join(folder, "names.cpp"), which === "grammar" ? grammar : strings);
    execFileSync("g++", ["-std=c++20", "-w", "-O0", "-c", ...flags, "names.cpp", "-o", "names.o"], { cwd: folder });
    const listed = execFileSync("nm", ["names.o"], { cwd: folder, encoding: "utf8", maxBuffer: 1 << 26 });
    return [...new Set(listed.split("\n").map((line) => line.slice(line.lastIndexOf(" ") + 1)).filter((name) => name !== ""))].sort();
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** What `c++filt` prints for each name; it gives up on more than 1,024 characters unless it is told not to. */
export function filtered(names: readonly string[]): readonly string[] {
  const answer = execFileSync("c++filt", ["--no-recurse-limit"], { input: `${names.join("\n")}\n`, encoding: "utf8", maxBuffer: 1 << 30 });
  return answer.split("\n").slice(0, names.length);
}
