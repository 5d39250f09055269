import assert from "node:assert/strict";
import { it } from "node:test";
import { netrcUser } from "../../../../src/engine/binaries/remote/index.ts";

it("reads ~/.netrc as Python does: quotes, comments, macros, entries on several lines, the default", () => {
  const text = 'machine a.example login me password "x # \\"y"\nmacdef init\nmachine c.example\n\n# machine c.example login no password no\nmachine b.example\n  login token#1\n  account none password p#2 # comment\nmachine a.example login second password second\n';
  assert.deepEqual(netrcUser(text, "a.example"), { login: "me", password: 'x # "y' });
  assert.deepEqual(netrcUser(text, "b.example"), { login: "token#1", password: "p#2" });
  assert.equal(netrcUser(text, "c.example"), undefined);
  assert.deepEqual(netrcUser(`${text}default login any password thing`, "c.example"), { login: "any", password: "thing" });
  assert.equal(netrcUser("machine", ""), undefined);
});
