/*! This file contains cm-chessboard and chess.js.

cm-chessboard:

MIT License

Copyright (c) 2017 Stefan Haack <shaack@gmail.com> (http://shaack.com)

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.

chess.js:

Copyright (c) 2025, Jeff Hlywa (jhlywa@gmail.com)
All rights reserved.

Redistribution and use in source and binary forms, with or without
modification, are permitted provided that the following conditions are met:

1. Redistributions of source code must retain the above copyright notice,
   this list of conditions and the following disclaimer.
2. Redistributions in binary form must reproduce the above copyright notice,
   this list of conditions and the following disclaimer in the documentation
   and/or other materials provided with the distribution.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS"
AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE
IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE
ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT OWNER OR CONTRIBUTORS BE
LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR
CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF
SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS
INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN
CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE)
ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE
POSSIBILITY OF SUCH DAMAGE.
*/
(() => {
  var __defProp = Object.defineProperty;
  var __defNormalProp = (obj, key, value) => key in obj ? __defProp(obj, key, { enumerable: true, configurable: true, writable: true, value }) : obj[key] = value;
  var __publicField = (obj, key, value) => __defNormalProp(obj, typeof key !== "symbol" ? key + "" : key, value);

  // node_modules/chess.js/dist/esm/chess.js
  function rootNode(comment) {
    return comment !== null ? { comment, variations: [] } : { variations: [] };
  }
  function node(move, suffix, nag, comment, variations) {
    const node2 = { move, variations };
    if (suffix) {
      node2.suffix = suffix;
    }
    if (nag) {
      node2.nag = nag;
    }
    if (comment !== null) {
      node2.comment = comment;
    }
    return node2;
  }
  function lineToTree(...nodes) {
    const [root, ...rest] = nodes;
    let parent = root;
    for (const child of rest) {
      if (child !== null) {
        parent.variations = [child, ...child.variations];
        child.variations = [];
        parent = child;
      }
    }
    return root;
  }
  function pgn(headers, game) {
    if (game.marker && game.marker.comment) {
      let node2 = game.root;
      while (true) {
        const next = node2.variations[0];
        if (!next) {
          node2.comment = game.marker.comment;
          break;
        }
        node2 = next;
      }
    }
    return {
      headers,
      root: game.root,
      result: (game.marker && game.marker.result) ?? void 0
    };
  }
  function peg$subclass(child, parent) {
    function C() {
      this.constructor = child;
    }
    C.prototype = parent.prototype;
    child.prototype = new C();
  }
  function peg$SyntaxError(message, expected, found, location2) {
    var self = Error.call(this, message);
    if (Object.setPrototypeOf) {
      Object.setPrototypeOf(self, peg$SyntaxError.prototype);
    }
    self.expected = expected;
    self.found = found;
    self.location = location2;
    self.name = "SyntaxError";
    return self;
  }
  peg$subclass(peg$SyntaxError, Error);
  function peg$padEnd(str, targetLength, padString) {
    padString = padString || " ";
    if (str.length > targetLength) {
      return str;
    }
    targetLength -= str.length;
    padString += padString.repeat(targetLength);
    return str + padString.slice(0, targetLength);
  }
  peg$SyntaxError.prototype.format = function(sources) {
    var str = "Error: " + this.message;
    if (this.location) {
      var src = null;
      var k;
      for (k = 0; k < sources.length; k++) {
        if (sources[k].source === this.location.source) {
          src = sources[k].text.split(/\r\n|\n|\r/g);
          break;
        }
      }
      var s = this.location.start;
      var offset_s = this.location.source && typeof this.location.source.offset === "function" ? this.location.source.offset(s) : s;
      var loc = this.location.source + ":" + offset_s.line + ":" + offset_s.column;
      if (src) {
        var e = this.location.end;
        var filler = peg$padEnd("", offset_s.line.toString().length, " ");
        var line = src[s.line - 1];
        var last = s.line === e.line ? e.column : line.length + 1;
        var hatLen = last - s.column || 1;
        str += "\n --> " + loc + "\n" + filler + " |\n" + offset_s.line + " | " + line + "\n" + filler + " | " + peg$padEnd("", s.column - 1, " ") + peg$padEnd("", hatLen, "^");
      } else {
        str += "\n at " + loc;
      }
    }
    return str;
  };
  peg$SyntaxError.buildMessage = function(expected, found) {
    var DESCRIBE_EXPECTATION_FNS = {
      literal: function(expectation) {
        return '"' + literalEscape(expectation.text) + '"';
      },
      class: function(expectation) {
        var escapedParts = expectation.parts.map(function(part) {
          return Array.isArray(part) ? classEscape(part[0]) + "-" + classEscape(part[1]) : classEscape(part);
        });
        return "[" + (expectation.inverted ? "^" : "") + escapedParts.join("") + "]";
      },
      any: function() {
        return "any character";
      },
      end: function() {
        return "end of input";
      },
      other: function(expectation) {
        return expectation.description;
      }
    };
    function hex(ch) {
      return ch.charCodeAt(0).toString(16).toUpperCase();
    }
    function literalEscape(s) {
      return s.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\0/g, "\\0").replace(/\t/g, "\\t").replace(/\n/g, "\\n").replace(/\r/g, "\\r").replace(/[\x00-\x0F]/g, function(ch) {
        return "\\x0" + hex(ch);
      }).replace(/[\x10-\x1F\x7F-\x9F]/g, function(ch) {
        return "\\x" + hex(ch);
      });
    }
    function classEscape(s) {
      return s.replace(/\\/g, "\\\\").replace(/\]/g, "\\]").replace(/\^/g, "\\^").replace(/-/g, "\\-").replace(/\0/g, "\\0").replace(/\t/g, "\\t").replace(/\n/g, "\\n").replace(/\r/g, "\\r").replace(/[\x00-\x0F]/g, function(ch) {
        return "\\x0" + hex(ch);
      }).replace(/[\x10-\x1F\x7F-\x9F]/g, function(ch) {
        return "\\x" + hex(ch);
      });
    }
    function describeExpectation(expectation) {
      return DESCRIBE_EXPECTATION_FNS[expectation.type](expectation);
    }
    function describeExpected(expected2) {
      var descriptions = expected2.map(describeExpectation);
      var i, j;
      descriptions.sort();
      if (descriptions.length > 0) {
        for (i = 1, j = 1; i < descriptions.length; i++) {
          if (descriptions[i - 1] !== descriptions[i]) {
            descriptions[j] = descriptions[i];
            j++;
          }
        }
        descriptions.length = j;
      }
      switch (descriptions.length) {
        case 1:
          return descriptions[0];
        case 2:
          return descriptions[0] + " or " + descriptions[1];
        default:
          return descriptions.slice(0, -1).join(", ") + ", or " + descriptions[descriptions.length - 1];
      }
    }
    function describeFound(found2) {
      return found2 ? '"' + literalEscape(found2) + '"' : "end of input";
    }
    return "Expected " + describeExpected(expected) + " but " + describeFound(found) + " found.";
  };
  function peg$parse(input, options) {
    options = options !== void 0 ? options : {};
    var peg$FAILED = {};
    var peg$source = options.grammarSource;
    var peg$startRuleFunctions = { pgn: peg$parsepgn };
    var peg$startRuleFunction = peg$parsepgn;
    var peg$c0 = "[";
    var peg$c1 = '"';
    var peg$c2 = "]";
    var peg$c3 = ".";
    var peg$c4 = "O-O-O";
    var peg$c5 = "O-O";
    var peg$c6 = "0-0-0";
    var peg$c7 = "0-0";
    var peg$c8 = "$";
    var peg$c9 = "{";
    var peg$c10 = "}";
    var peg$c11 = ";";
    var peg$c12 = "(";
    var peg$c13 = ")";
    var peg$c14 = "1-0";
    var peg$c15 = "0-1";
    var peg$c16 = "1/2-1/2";
    var peg$c17 = "*";
    var peg$r0 = /^[a-zA-Z]/;
    var peg$r1 = /^[^"]/;
    var peg$r2 = /^[0-9]/;
    var peg$r3 = /^[.]/;
    var peg$r4 = /^[a-zA-Z1-8\-=]/;
    var peg$r5 = /^[+#]/;
    var peg$r6 = /^[!?]/;
    var peg$r7 = /^[^}]/;
    var peg$r8 = /^[^\r\n]/;
    var peg$r9 = /^[ \t\r\n]/;
    var peg$e0 = peg$otherExpectation("tag pair");
    var peg$e1 = peg$literalExpectation("[", false);
    var peg$e2 = peg$literalExpectation('"', false);
    var peg$e3 = peg$literalExpectation("]", false);
    var peg$e4 = peg$otherExpectation("tag name");
    var peg$e5 = peg$classExpectation([["a", "z"], ["A", "Z"]], false, false);
    var peg$e6 = peg$otherExpectation("tag value");
    var peg$e7 = peg$classExpectation(['"'], true, false);
    var peg$e8 = peg$otherExpectation("move number");
    var peg$e9 = peg$classExpectation([["0", "9"]], false, false);
    var peg$e10 = peg$literalExpectation(".", false);
    var peg$e11 = peg$classExpectation(["."], false, false);
    var peg$e12 = peg$otherExpectation("standard algebraic notation");
    var peg$e13 = peg$literalExpectation("O-O-O", false);
    var peg$e14 = peg$literalExpectation("O-O", false);
    var peg$e15 = peg$literalExpectation("0-0-0", false);
    var peg$e16 = peg$literalExpectation("0-0", false);
    var peg$e17 = peg$classExpectation([["a", "z"], ["A", "Z"], ["1", "8"], "-", "="], false, false);
    var peg$e18 = peg$classExpectation(["+", "#"], false, false);
    var peg$e19 = peg$otherExpectation("suffix annotation");
    var peg$e20 = peg$classExpectation(["!", "?"], false, false);
    var peg$e21 = peg$otherExpectation("NAG");
    var peg$e22 = peg$literalExpectation("$", false);
    var peg$e23 = peg$otherExpectation("brace comment");
    var peg$e24 = peg$literalExpectation("{", false);
    var peg$e25 = peg$classExpectation(["}"], true, false);
    var peg$e26 = peg$literalExpectation("}", false);
    var peg$e27 = peg$otherExpectation("rest of line comment");
    var peg$e28 = peg$literalExpectation(";", false);
    var peg$e29 = peg$classExpectation(["\r", "\n"], true, false);
    var peg$e30 = peg$otherExpectation("variation");
    var peg$e31 = peg$literalExpectation("(", false);
    var peg$e32 = peg$literalExpectation(")", false);
    var peg$e33 = peg$otherExpectation("game termination marker");
    var peg$e34 = peg$literalExpectation("1-0", false);
    var peg$e35 = peg$literalExpectation("0-1", false);
    var peg$e36 = peg$literalExpectation("1/2-1/2", false);
    var peg$e37 = peg$literalExpectation("*", false);
    var peg$e38 = peg$otherExpectation("whitespace");
    var peg$e39 = peg$classExpectation([" ", "	", "\r", "\n"], false, false);
    var peg$f0 = function(headers, game) {
      return pgn(headers, game);
    };
    var peg$f1 = function(tagPairs) {
      return Object.fromEntries(tagPairs);
    };
    var peg$f2 = function(tagName, tagValue) {
      return [tagName, tagValue];
    };
    var peg$f3 = function(root, marker) {
      return { root, marker };
    };
    var peg$f4 = function(comment, moves) {
      return lineToTree(rootNode(comment), ...moves.flat());
    };
    var peg$f5 = function(san, suffix, nag, comment, variations) {
      return node(san, suffix, nag, comment, variations);
    };
    var peg$f6 = function(nag) {
      return nag;
    };
    var peg$f7 = function(comment) {
      return comment.replace(/[\r\n]+/g, " ");
    };
    var peg$f8 = function(comment) {
      return comment.trim();
    };
    var peg$f9 = function(line) {
      return line;
    };
    var peg$f10 = function(result, comment) {
      return { result, comment };
    };
    var peg$currPos = options.peg$currPos | 0;
    var peg$posDetailsCache = [{ line: 1, column: 1 }];
    var peg$maxFailPos = peg$currPos;
    var peg$maxFailExpected = options.peg$maxFailExpected || [];
    var peg$silentFails = options.peg$silentFails | 0;
    var peg$result;
    if (options.startRule) {
      if (!(options.startRule in peg$startRuleFunctions)) {
        throw new Error(`Can't start parsing from rule "` + options.startRule + '".');
      }
      peg$startRuleFunction = peg$startRuleFunctions[options.startRule];
    }
    function peg$literalExpectation(text, ignoreCase) {
      return { type: "literal", text, ignoreCase };
    }
    function peg$classExpectation(parts, inverted, ignoreCase) {
      return { type: "class", parts, inverted, ignoreCase };
    }
    function peg$endExpectation() {
      return { type: "end" };
    }
    function peg$otherExpectation(description) {
      return { type: "other", description };
    }
    function peg$computePosDetails(pos) {
      var details = peg$posDetailsCache[pos];
      var p;
      if (details) {
        return details;
      } else {
        if (pos >= peg$posDetailsCache.length) {
          p = peg$posDetailsCache.length - 1;
        } else {
          p = pos;
          while (!peg$posDetailsCache[--p]) {
          }
        }
        details = peg$posDetailsCache[p];
        details = {
          line: details.line,
          column: details.column
        };
        while (p < pos) {
          if (input.charCodeAt(p) === 10) {
            details.line++;
            details.column = 1;
          } else {
            details.column++;
          }
          p++;
        }
        peg$posDetailsCache[pos] = details;
        return details;
      }
    }
    function peg$computeLocation(startPos, endPos, offset) {
      var startPosDetails = peg$computePosDetails(startPos);
      var endPosDetails = peg$computePosDetails(endPos);
      var res = {
        source: peg$source,
        start: {
          offset: startPos,
          line: startPosDetails.line,
          column: startPosDetails.column
        },
        end: {
          offset: endPos,
          line: endPosDetails.line,
          column: endPosDetails.column
        }
      };
      return res;
    }
    function peg$fail(expected) {
      if (peg$currPos < peg$maxFailPos) {
        return;
      }
      if (peg$currPos > peg$maxFailPos) {
        peg$maxFailPos = peg$currPos;
        peg$maxFailExpected = [];
      }
      peg$maxFailExpected.push(expected);
    }
    function peg$buildStructuredError(expected, found, location2) {
      return new peg$SyntaxError(
        peg$SyntaxError.buildMessage(expected, found),
        expected,
        found,
        location2
      );
    }
    function peg$parsepgn() {
      var s0, s1, s2;
      s0 = peg$currPos;
      s1 = peg$parsetagPairSection();
      s2 = peg$parsemoveTextSection();
      s0 = peg$f0(s1, s2);
      return s0;
    }
    function peg$parsetagPairSection() {
      var s0, s1, s2;
      s0 = peg$currPos;
      s1 = [];
      s2 = peg$parsetagPair();
      while (s2 !== peg$FAILED) {
        s1.push(s2);
        s2 = peg$parsetagPair();
      }
      s2 = peg$parse_();
      s0 = peg$f1(s1);
      return s0;
    }
    function peg$parsetagPair() {
      var s0, s2, s4, s6, s7, s8, s10;
      peg$silentFails++;
      s0 = peg$currPos;
      peg$parse_();
      if (input.charCodeAt(peg$currPos) === 91) {
        s2 = peg$c0;
        peg$currPos++;
      } else {
        s2 = peg$FAILED;
        if (peg$silentFails === 0) {
          peg$fail(peg$e1);
        }
      }
      if (s2 !== peg$FAILED) {
        peg$parse_();
        s4 = peg$parsetagName();
        if (s4 !== peg$FAILED) {
          peg$parse_();
          if (input.charCodeAt(peg$currPos) === 34) {
            s6 = peg$c1;
            peg$currPos++;
          } else {
            s6 = peg$FAILED;
            if (peg$silentFails === 0) {
              peg$fail(peg$e2);
            }
          }
          if (s6 !== peg$FAILED) {
            s7 = peg$parsetagValue();
            if (input.charCodeAt(peg$currPos) === 34) {
              s8 = peg$c1;
              peg$currPos++;
            } else {
              s8 = peg$FAILED;
              if (peg$silentFails === 0) {
                peg$fail(peg$e2);
              }
            }
            if (s8 !== peg$FAILED) {
              peg$parse_();
              if (input.charCodeAt(peg$currPos) === 93) {
                s10 = peg$c2;
                peg$currPos++;
              } else {
                s10 = peg$FAILED;
                if (peg$silentFails === 0) {
                  peg$fail(peg$e3);
                }
              }
              if (s10 !== peg$FAILED) {
                s0 = peg$f2(s4, s7);
              } else {
                peg$currPos = s0;
                s0 = peg$FAILED;
              }
            } else {
              peg$currPos = s0;
              s0 = peg$FAILED;
            }
          } else {
            peg$currPos = s0;
            s0 = peg$FAILED;
          }
        } else {
          peg$currPos = s0;
          s0 = peg$FAILED;
        }
      } else {
        peg$currPos = s0;
        s0 = peg$FAILED;
      }
      peg$silentFails--;
      if (s0 === peg$FAILED) {
        if (peg$silentFails === 0) {
          peg$fail(peg$e0);
        }
      }
      return s0;
    }
    function peg$parsetagName() {
      var s0, s1, s2;
      peg$silentFails++;
      s0 = peg$currPos;
      s1 = [];
      s2 = input.charAt(peg$currPos);
      if (peg$r0.test(s2)) {
        peg$currPos++;
      } else {
        s2 = peg$FAILED;
        if (peg$silentFails === 0) {
          peg$fail(peg$e5);
        }
      }
      if (s2 !== peg$FAILED) {
        while (s2 !== peg$FAILED) {
          s1.push(s2);
          s2 = input.charAt(peg$currPos);
          if (peg$r0.test(s2)) {
            peg$currPos++;
          } else {
            s2 = peg$FAILED;
            if (peg$silentFails === 0) {
              peg$fail(peg$e5);
            }
          }
        }
      } else {
        s1 = peg$FAILED;
      }
      if (s1 !== peg$FAILED) {
        s0 = input.substring(s0, peg$currPos);
      } else {
        s0 = s1;
      }
      peg$silentFails--;
      if (s0 === peg$FAILED) {
        s1 = peg$FAILED;
        if (peg$silentFails === 0) {
          peg$fail(peg$e4);
        }
      }
      return s0;
    }
    function peg$parsetagValue() {
      var s0, s1, s2;
      peg$silentFails++;
      s0 = peg$currPos;
      s1 = [];
      s2 = input.charAt(peg$currPos);
      if (peg$r1.test(s2)) {
        peg$currPos++;
      } else {
        s2 = peg$FAILED;
        if (peg$silentFails === 0) {
          peg$fail(peg$e7);
        }
      }
      while (s2 !== peg$FAILED) {
        s1.push(s2);
        s2 = input.charAt(peg$currPos);
        if (peg$r1.test(s2)) {
          peg$currPos++;
        } else {
          s2 = peg$FAILED;
          if (peg$silentFails === 0) {
            peg$fail(peg$e7);
          }
        }
      }
      s0 = input.substring(s0, peg$currPos);
      peg$silentFails--;
      s1 = peg$FAILED;
      if (peg$silentFails === 0) {
        peg$fail(peg$e6);
      }
      return s0;
    }
    function peg$parsemoveTextSection() {
      var s0, s1, s3;
      s0 = peg$currPos;
      s1 = peg$parseline();
      peg$parse_();
      s3 = peg$parsegameTerminationMarker();
      if (s3 === peg$FAILED) {
        s3 = null;
      }
      peg$parse_();
      s0 = peg$f3(s1, s3);
      return s0;
    }
    function peg$parseline() {
      var s0, s1, s2, s3;
      s0 = peg$currPos;
      s1 = peg$parsecomment();
      if (s1 === peg$FAILED) {
        s1 = null;
      }
      s2 = [];
      s3 = peg$parsemove();
      while (s3 !== peg$FAILED) {
        s2.push(s3);
        s3 = peg$parsemove();
      }
      s0 = peg$f4(s1, s2);
      return s0;
    }
    function peg$parsemove() {
      var s0, s4, s5, s6, s7, s8, s9, s10;
      s0 = peg$currPos;
      peg$parse_();
      peg$parsemoveNumber();
      peg$parse_();
      s4 = peg$parsesan();
      if (s4 !== peg$FAILED) {
        s5 = peg$parsesuffixAnnotation();
        if (s5 === peg$FAILED) {
          s5 = null;
        }
        s6 = [];
        s7 = peg$parsenag();
        while (s7 !== peg$FAILED) {
          s6.push(s7);
          s7 = peg$parsenag();
        }
        s7 = peg$parse_();
        s8 = peg$parsecomment();
        if (s8 === peg$FAILED) {
          s8 = null;
        }
        s9 = [];
        s10 = peg$parsevariation();
        while (s10 !== peg$FAILED) {
          s9.push(s10);
          s10 = peg$parsevariation();
        }
        s0 = peg$f5(s4, s5, s6, s8, s9);
      } else {
        peg$currPos = s0;
        s0 = peg$FAILED;
      }
      return s0;
    }
    function peg$parsemoveNumber() {
      var s0, s1, s2, s3, s4, s5;
      peg$silentFails++;
      s0 = peg$currPos;
      s1 = [];
      s2 = input.charAt(peg$currPos);
      if (peg$r2.test(s2)) {
        peg$currPos++;
      } else {
        s2 = peg$FAILED;
        if (peg$silentFails === 0) {
          peg$fail(peg$e9);
        }
      }
      while (s2 !== peg$FAILED) {
        s1.push(s2);
        s2 = input.charAt(peg$currPos);
        if (peg$r2.test(s2)) {
          peg$currPos++;
        } else {
          s2 = peg$FAILED;
          if (peg$silentFails === 0) {
            peg$fail(peg$e9);
          }
        }
      }
      if (input.charCodeAt(peg$currPos) === 46) {
        s2 = peg$c3;
        peg$currPos++;
      } else {
        s2 = peg$FAILED;
        if (peg$silentFails === 0) {
          peg$fail(peg$e10);
        }
      }
      if (s2 !== peg$FAILED) {
        s3 = peg$parse_();
        s4 = [];
        s5 = input.charAt(peg$currPos);
        if (peg$r3.test(s5)) {
          peg$currPos++;
        } else {
          s5 = peg$FAILED;
          if (peg$silentFails === 0) {
            peg$fail(peg$e11);
          }
        }
        while (s5 !== peg$FAILED) {
          s4.push(s5);
          s5 = input.charAt(peg$currPos);
          if (peg$r3.test(s5)) {
            peg$currPos++;
          } else {
            s5 = peg$FAILED;
            if (peg$silentFails === 0) {
              peg$fail(peg$e11);
            }
          }
        }
        s1 = [s1, s2, s3, s4];
        s0 = s1;
      } else {
        peg$currPos = s0;
        s0 = peg$FAILED;
      }
      peg$silentFails--;
      if (s0 === peg$FAILED) {
        s1 = peg$FAILED;
        if (peg$silentFails === 0) {
          peg$fail(peg$e8);
        }
      }
      return s0;
    }
    function peg$parsesan() {
      var s0, s1, s2, s3, s4, s5;
      peg$silentFails++;
      s0 = peg$currPos;
      s1 = peg$currPos;
      if (input.substr(peg$currPos, 5) === peg$c4) {
        s2 = peg$c4;
        peg$currPos += 5;
      } else {
        s2 = peg$FAILED;
        if (peg$silentFails === 0) {
          peg$fail(peg$e13);
        }
      }
      if (s2 === peg$FAILED) {
        if (input.substr(peg$currPos, 3) === peg$c5) {
          s2 = peg$c5;
          peg$currPos += 3;
        } else {
          s2 = peg$FAILED;
          if (peg$silentFails === 0) {
            peg$fail(peg$e14);
          }
        }
        if (s2 === peg$FAILED) {
          if (input.substr(peg$currPos, 5) === peg$c6) {
            s2 = peg$c6;
            peg$currPos += 5;
          } else {
            s2 = peg$FAILED;
            if (peg$silentFails === 0) {
              peg$fail(peg$e15);
            }
          }
          if (s2 === peg$FAILED) {
            if (input.substr(peg$currPos, 3) === peg$c7) {
              s2 = peg$c7;
              peg$currPos += 3;
            } else {
              s2 = peg$FAILED;
              if (peg$silentFails === 0) {
                peg$fail(peg$e16);
              }
            }
            if (s2 === peg$FAILED) {
              s2 = peg$currPos;
              s3 = input.charAt(peg$currPos);
              if (peg$r0.test(s3)) {
                peg$currPos++;
              } else {
                s3 = peg$FAILED;
                if (peg$silentFails === 0) {
                  peg$fail(peg$e5);
                }
              }
              if (s3 !== peg$FAILED) {
                s4 = [];
                s5 = input.charAt(peg$currPos);
                if (peg$r4.test(s5)) {
                  peg$currPos++;
                } else {
                  s5 = peg$FAILED;
                  if (peg$silentFails === 0) {
                    peg$fail(peg$e17);
                  }
                }
                if (s5 !== peg$FAILED) {
                  while (s5 !== peg$FAILED) {
                    s4.push(s5);
                    s5 = input.charAt(peg$currPos);
                    if (peg$r4.test(s5)) {
                      peg$currPos++;
                    } else {
                      s5 = peg$FAILED;
                      if (peg$silentFails === 0) {
                        peg$fail(peg$e17);
                      }
                    }
                  }
                } else {
                  s4 = peg$FAILED;
                }
                if (s4 !== peg$FAILED) {
                  s3 = [s3, s4];
                  s2 = s3;
                } else {
                  peg$currPos = s2;
                  s2 = peg$FAILED;
                }
              } else {
                peg$currPos = s2;
                s2 = peg$FAILED;
              }
            }
          }
        }
      }
      if (s2 !== peg$FAILED) {
        s3 = input.charAt(peg$currPos);
        if (peg$r5.test(s3)) {
          peg$currPos++;
        } else {
          s3 = peg$FAILED;
          if (peg$silentFails === 0) {
            peg$fail(peg$e18);
          }
        }
        if (s3 === peg$FAILED) {
          s3 = null;
        }
        s2 = [s2, s3];
        s1 = s2;
      } else {
        peg$currPos = s1;
        s1 = peg$FAILED;
      }
      if (s1 !== peg$FAILED) {
        s0 = input.substring(s0, peg$currPos);
      } else {
        s0 = s1;
      }
      peg$silentFails--;
      if (s0 === peg$FAILED) {
        s1 = peg$FAILED;
        if (peg$silentFails === 0) {
          peg$fail(peg$e12);
        }
      }
      return s0;
    }
    function peg$parsesuffixAnnotation() {
      var s0, s1, s2;
      peg$silentFails++;
      s0 = peg$currPos;
      s1 = [];
      s2 = input.charAt(peg$currPos);
      if (peg$r6.test(s2)) {
        peg$currPos++;
      } else {
        s2 = peg$FAILED;
        if (peg$silentFails === 0) {
          peg$fail(peg$e20);
        }
      }
      while (s2 !== peg$FAILED) {
        s1.push(s2);
        if (s1.length >= 2) {
          s2 = peg$FAILED;
        } else {
          s2 = input.charAt(peg$currPos);
          if (peg$r6.test(s2)) {
            peg$currPos++;
          } else {
            s2 = peg$FAILED;
            if (peg$silentFails === 0) {
              peg$fail(peg$e20);
            }
          }
        }
      }
      if (s1.length < 1) {
        peg$currPos = s0;
        s0 = peg$FAILED;
      } else {
        s0 = s1;
      }
      peg$silentFails--;
      if (s0 === peg$FAILED) {
        s1 = peg$FAILED;
        if (peg$silentFails === 0) {
          peg$fail(peg$e19);
        }
      }
      return s0;
    }
    function peg$parsenag() {
      var s0, s2, s3, s4, s5;
      peg$silentFails++;
      s0 = peg$currPos;
      peg$parse_();
      if (input.charCodeAt(peg$currPos) === 36) {
        s2 = peg$c8;
        peg$currPos++;
      } else {
        s2 = peg$FAILED;
        if (peg$silentFails === 0) {
          peg$fail(peg$e22);
        }
      }
      if (s2 !== peg$FAILED) {
        s3 = peg$currPos;
        s4 = [];
        s5 = input.charAt(peg$currPos);
        if (peg$r2.test(s5)) {
          peg$currPos++;
        } else {
          s5 = peg$FAILED;
          if (peg$silentFails === 0) {
            peg$fail(peg$e9);
          }
        }
        if (s5 !== peg$FAILED) {
          while (s5 !== peg$FAILED) {
            s4.push(s5);
            s5 = input.charAt(peg$currPos);
            if (peg$r2.test(s5)) {
              peg$currPos++;
            } else {
              s5 = peg$FAILED;
              if (peg$silentFails === 0) {
                peg$fail(peg$e9);
              }
            }
          }
        } else {
          s4 = peg$FAILED;
        }
        if (s4 !== peg$FAILED) {
          s3 = input.substring(s3, peg$currPos);
        } else {
          s3 = s4;
        }
        if (s3 !== peg$FAILED) {
          s0 = peg$f6(s3);
        } else {
          peg$currPos = s0;
          s0 = peg$FAILED;
        }
      } else {
        peg$currPos = s0;
        s0 = peg$FAILED;
      }
      peg$silentFails--;
      if (s0 === peg$FAILED) {
        if (peg$silentFails === 0) {
          peg$fail(peg$e21);
        }
      }
      return s0;
    }
    function peg$parsecomment() {
      var s0;
      s0 = peg$parsebraceComment();
      if (s0 === peg$FAILED) {
        s0 = peg$parserestOfLineComment();
      }
      return s0;
    }
    function peg$parsebraceComment() {
      var s0, s1, s2, s3, s4;
      peg$silentFails++;
      s0 = peg$currPos;
      if (input.charCodeAt(peg$currPos) === 123) {
        s1 = peg$c9;
        peg$currPos++;
      } else {
        s1 = peg$FAILED;
        if (peg$silentFails === 0) {
          peg$fail(peg$e24);
        }
      }
      if (s1 !== peg$FAILED) {
        s2 = peg$currPos;
        s3 = [];
        s4 = input.charAt(peg$currPos);
        if (peg$r7.test(s4)) {
          peg$currPos++;
        } else {
          s4 = peg$FAILED;
          if (peg$silentFails === 0) {
            peg$fail(peg$e25);
          }
        }
        while (s4 !== peg$FAILED) {
          s3.push(s4);
          s4 = input.charAt(peg$currPos);
          if (peg$r7.test(s4)) {
            peg$currPos++;
          } else {
            s4 = peg$FAILED;
            if (peg$silentFails === 0) {
              peg$fail(peg$e25);
            }
          }
        }
        s2 = input.substring(s2, peg$currPos);
        if (input.charCodeAt(peg$currPos) === 125) {
          s3 = peg$c10;
          peg$currPos++;
        } else {
          s3 = peg$FAILED;
          if (peg$silentFails === 0) {
            peg$fail(peg$e26);
          }
        }
        if (s3 !== peg$FAILED) {
          s0 = peg$f7(s2);
        } else {
          peg$currPos = s0;
          s0 = peg$FAILED;
        }
      } else {
        peg$currPos = s0;
        s0 = peg$FAILED;
      }
      peg$silentFails--;
      if (s0 === peg$FAILED) {
        s1 = peg$FAILED;
        if (peg$silentFails === 0) {
          peg$fail(peg$e23);
        }
      }
      return s0;
    }
    function peg$parserestOfLineComment() {
      var s0, s1, s2, s3, s4;
      peg$silentFails++;
      s0 = peg$currPos;
      if (input.charCodeAt(peg$currPos) === 59) {
        s1 = peg$c11;
        peg$currPos++;
      } else {
        s1 = peg$FAILED;
        if (peg$silentFails === 0) {
          peg$fail(peg$e28);
        }
      }
      if (s1 !== peg$FAILED) {
        s2 = peg$currPos;
        s3 = [];
        s4 = input.charAt(peg$currPos);
        if (peg$r8.test(s4)) {
          peg$currPos++;
        } else {
          s4 = peg$FAILED;
          if (peg$silentFails === 0) {
            peg$fail(peg$e29);
          }
        }
        while (s4 !== peg$FAILED) {
          s3.push(s4);
          s4 = input.charAt(peg$currPos);
          if (peg$r8.test(s4)) {
            peg$currPos++;
          } else {
            s4 = peg$FAILED;
            if (peg$silentFails === 0) {
              peg$fail(peg$e29);
            }
          }
        }
        s2 = input.substring(s2, peg$currPos);
        s0 = peg$f8(s2);
      } else {
        peg$currPos = s0;
        s0 = peg$FAILED;
      }
      peg$silentFails--;
      if (s0 === peg$FAILED) {
        s1 = peg$FAILED;
        if (peg$silentFails === 0) {
          peg$fail(peg$e27);
        }
      }
      return s0;
    }
    function peg$parsevariation() {
      var s0, s2, s3, s5;
      peg$silentFails++;
      s0 = peg$currPos;
      peg$parse_();
      if (input.charCodeAt(peg$currPos) === 40) {
        s2 = peg$c12;
        peg$currPos++;
      } else {
        s2 = peg$FAILED;
        if (peg$silentFails === 0) {
          peg$fail(peg$e31);
        }
      }
      if (s2 !== peg$FAILED) {
        s3 = peg$parseline();
        if (s3 !== peg$FAILED) {
          peg$parse_();
          if (input.charCodeAt(peg$currPos) === 41) {
            s5 = peg$c13;
            peg$currPos++;
          } else {
            s5 = peg$FAILED;
            if (peg$silentFails === 0) {
              peg$fail(peg$e32);
            }
          }
          if (s5 !== peg$FAILED) {
            s0 = peg$f9(s3);
          } else {
            peg$currPos = s0;
            s0 = peg$FAILED;
          }
        } else {
          peg$currPos = s0;
          s0 = peg$FAILED;
        }
      } else {
        peg$currPos = s0;
        s0 = peg$FAILED;
      }
      peg$silentFails--;
      if (s0 === peg$FAILED) {
        if (peg$silentFails === 0) {
          peg$fail(peg$e30);
        }
      }
      return s0;
    }
    function peg$parsegameTerminationMarker() {
      var s0, s1, s3;
      peg$silentFails++;
      s0 = peg$currPos;
      if (input.substr(peg$currPos, 3) === peg$c14) {
        s1 = peg$c14;
        peg$currPos += 3;
      } else {
        s1 = peg$FAILED;
        if (peg$silentFails === 0) {
          peg$fail(peg$e34);
        }
      }
      if (s1 === peg$FAILED) {
        if (input.substr(peg$currPos, 3) === peg$c15) {
          s1 = peg$c15;
          peg$currPos += 3;
        } else {
          s1 = peg$FAILED;
          if (peg$silentFails === 0) {
            peg$fail(peg$e35);
          }
        }
        if (s1 === peg$FAILED) {
          if (input.substr(peg$currPos, 7) === peg$c16) {
            s1 = peg$c16;
            peg$currPos += 7;
          } else {
            s1 = peg$FAILED;
            if (peg$silentFails === 0) {
              peg$fail(peg$e36);
            }
          }
          if (s1 === peg$FAILED) {
            if (input.charCodeAt(peg$currPos) === 42) {
              s1 = peg$c17;
              peg$currPos++;
            } else {
              s1 = peg$FAILED;
              if (peg$silentFails === 0) {
                peg$fail(peg$e37);
              }
            }
          }
        }
      }
      if (s1 !== peg$FAILED) {
        peg$parse_();
        s3 = peg$parsecomment();
        if (s3 === peg$FAILED) {
          s3 = null;
        }
        s0 = peg$f10(s1, s3);
      } else {
        peg$currPos = s0;
        s0 = peg$FAILED;
      }
      peg$silentFails--;
      if (s0 === peg$FAILED) {
        s1 = peg$FAILED;
        if (peg$silentFails === 0) {
          peg$fail(peg$e33);
        }
      }
      return s0;
    }
    function peg$parse_() {
      var s0, s1;
      peg$silentFails++;
      s0 = [];
      s1 = input.charAt(peg$currPos);
      if (peg$r9.test(s1)) {
        peg$currPos++;
      } else {
        s1 = peg$FAILED;
        if (peg$silentFails === 0) {
          peg$fail(peg$e39);
        }
      }
      while (s1 !== peg$FAILED) {
        s0.push(s1);
        s1 = input.charAt(peg$currPos);
        if (peg$r9.test(s1)) {
          peg$currPos++;
        } else {
          s1 = peg$FAILED;
          if (peg$silentFails === 0) {
            peg$fail(peg$e39);
          }
        }
      }
      peg$silentFails--;
      s1 = peg$FAILED;
      if (peg$silentFails === 0) {
        peg$fail(peg$e38);
      }
      return s0;
    }
    peg$result = peg$startRuleFunction();
    if (options.peg$library) {
      return (
        /** @type {any} */
        {
          peg$result,
          peg$currPos,
          peg$FAILED,
          peg$maxFailExpected,
          peg$maxFailPos
        }
      );
    }
    if (peg$result !== peg$FAILED && peg$currPos === input.length) {
      return peg$result;
    } else {
      if (peg$result !== peg$FAILED && peg$currPos < input.length) {
        peg$fail(peg$endExpectation());
      }
      throw peg$buildStructuredError(
        peg$maxFailExpected,
        peg$maxFailPos < input.length ? input.charAt(peg$maxFailPos) : null,
        peg$maxFailPos < input.length ? peg$computeLocation(peg$maxFailPos, peg$maxFailPos + 1) : peg$computeLocation(peg$maxFailPos, peg$maxFailPos)
      );
    }
  }
  var MASK64 = 0xffffffffffffffffn;
  function rotl(x, k) {
    return (x << k | x >> 64n - k) & 0xffffffffffffffffn;
  }
  function wrappingMul(x, y) {
    return x * y & MASK64;
  }
  function xoroshiro128(state) {
    return function() {
      let s0 = BigInt(state & MASK64);
      let s1 = BigInt(state >> 64n & MASK64);
      const result = wrappingMul(rotl(wrappingMul(s0, 5n), 7n), 9n);
      s1 ^= s0;
      s0 = (rotl(s0, 24n) ^ s1 ^ s1 << 16n) & MASK64;
      s1 = rotl(s1, 37n);
      state = s1 << 64n | s0;
      return result;
    };
  }
  var rand = xoroshiro128(0xa187eb39cdcaed8f31c4b365b102e01en);
  var PIECE_KEYS = Array.from({ length: 2 }, () => Array.from({ length: 6 }, () => Array.from({ length: 128 }, () => rand())));
  var EP_KEYS = Array.from({ length: 8 }, () => rand());
  var CASTLING_KEYS = Array.from({ length: 16 }, () => rand());
  var SIDE_KEY = rand();
  var WHITE = "w";
  var BLACK = "b";
  var PAWN = "p";
  var KNIGHT = "n";
  var BISHOP = "b";
  var ROOK = "r";
  var QUEEN = "q";
  var KING = "k";
  var DEFAULT_POSITION = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
  var Move = class {
    constructor(chess, internal) {
      __publicField(this, "color");
      __publicField(this, "from");
      __publicField(this, "to");
      __publicField(this, "piece");
      __publicField(this, "captured");
      __publicField(this, "promotion");
      /**
       * @deprecated This field is deprecated and will be removed in version 2.0.0.
       * Please use move descriptor functions instead: `isCapture`, `isPromotion`,
       * `isEnPassant`, `isKingsideCastle`, `isQueensideCastle`, `isCastle`, and
       * `isBigPawn`
       */
      __publicField(this, "flags");
      __publicField(this, "san");
      __publicField(this, "lan");
      __publicField(this, "before");
      __publicField(this, "after");
      const { color, piece, from, to, flags, captured, promotion } = internal;
      const fromAlgebraic = algebraic(from);
      const toAlgebraic = algebraic(to);
      this.color = color;
      this.piece = piece;
      this.from = fromAlgebraic;
      this.to = toAlgebraic;
      this.san = chess["_moveToSan"](internal, chess["_moves"]({ legal: true }));
      this.lan = fromAlgebraic + toAlgebraic;
      this.before = chess.fen();
      chess["_makeMove"](internal);
      this.after = chess.fen();
      chess["_undoMove"]();
      this.flags = "";
      for (const flag in BITS) {
        if (BITS[flag] & flags) {
          this.flags += FLAGS[flag];
        }
      }
      if (captured) {
        this.captured = captured;
      }
      if (promotion) {
        this.promotion = promotion;
        this.lan += promotion;
      }
    }
    isCapture() {
      return this.flags.indexOf(FLAGS["CAPTURE"]) > -1;
    }
    isPromotion() {
      return this.flags.indexOf(FLAGS["PROMOTION"]) > -1;
    }
    isEnPassant() {
      return this.flags.indexOf(FLAGS["EP_CAPTURE"]) > -1;
    }
    isKingsideCastle() {
      return this.flags.indexOf(FLAGS["KSIDE_CASTLE"]) > -1;
    }
    isQueensideCastle() {
      return this.flags.indexOf(FLAGS["QSIDE_CASTLE"]) > -1;
    }
    isBigPawn() {
      return this.flags.indexOf(FLAGS["BIG_PAWN"]) > -1;
    }
  };
  var EMPTY = -1;
  var FLAGS = {
    NORMAL: "n",
    CAPTURE: "c",
    BIG_PAWN: "b",
    EP_CAPTURE: "e",
    PROMOTION: "p",
    KSIDE_CASTLE: "k",
    QSIDE_CASTLE: "q",
    NULL_MOVE: "-"
  };
  var BITS = {
    NORMAL: 1,
    CAPTURE: 2,
    BIG_PAWN: 4,
    EP_CAPTURE: 8,
    PROMOTION: 16,
    KSIDE_CASTLE: 32,
    QSIDE_CASTLE: 64,
    NULL_MOVE: 128
  };
  var SEVEN_TAG_ROSTER = {
    Event: "?",
    Site: "?",
    Date: "????.??.??",
    Round: "?",
    White: "?",
    Black: "?",
    Result: "*"
  };
  var SUPLEMENTAL_TAGS = {
    WhiteTitle: null,
    BlackTitle: null,
    WhiteElo: null,
    BlackElo: null,
    WhiteUSCF: null,
    BlackUSCF: null,
    WhiteNA: null,
    BlackNA: null,
    WhiteType: null,
    BlackType: null,
    EventDate: null,
    EventSponsor: null,
    Section: null,
    Stage: null,
    Board: null,
    Opening: null,
    Variation: null,
    SubVariation: null,
    ECO: null,
    NIC: null,
    Time: null,
    UTCTime: null,
    UTCDate: null,
    TimeControl: null,
    SetUp: null,
    FEN: null,
    Termination: null,
    Annotator: null,
    Mode: null,
    PlyCount: null
  };
  var HEADER_TEMPLATE = {
    ...SEVEN_TAG_ROSTER,
    ...SUPLEMENTAL_TAGS
  };
  var Ox88 = {
    a8: 0,
    b8: 1,
    c8: 2,
    d8: 3,
    e8: 4,
    f8: 5,
    g8: 6,
    h8: 7,
    a7: 16,
    b7: 17,
    c7: 18,
    d7: 19,
    e7: 20,
    f7: 21,
    g7: 22,
    h7: 23,
    a6: 32,
    b6: 33,
    c6: 34,
    d6: 35,
    e6: 36,
    f6: 37,
    g6: 38,
    h6: 39,
    a5: 48,
    b5: 49,
    c5: 50,
    d5: 51,
    e5: 52,
    f5: 53,
    g5: 54,
    h5: 55,
    a4: 64,
    b4: 65,
    c4: 66,
    d4: 67,
    e4: 68,
    f4: 69,
    g4: 70,
    h4: 71,
    a3: 80,
    b3: 81,
    c3: 82,
    d3: 83,
    e3: 84,
    f3: 85,
    g3: 86,
    h3: 87,
    a2: 96,
    b2: 97,
    c2: 98,
    d2: 99,
    e2: 100,
    f2: 101,
    g2: 102,
    h2: 103,
    a1: 112,
    b1: 113,
    c1: 114,
    d1: 115,
    e1: 116,
    f1: 117,
    g1: 118,
    h1: 119
  };
  var PAWN_OFFSETS = {
    b: [16, 32, 17, 15],
    w: [-16, -32, -17, -15]
  };
  var PIECE_OFFSETS = {
    n: [-18, -33, -31, -14, 18, 33, 31, 14],
    b: [-17, -15, 17, 15],
    r: [-16, 1, 16, -1],
    q: [-17, -16, -15, 1, 17, 16, 15, -1],
    k: [-17, -16, -15, 1, 17, 16, 15, -1]
  };
  var ATTACKS = [
    20,
    0,
    0,
    0,
    0,
    0,
    0,
    24,
    0,
    0,
    0,
    0,
    0,
    0,
    20,
    0,
    0,
    20,
    0,
    0,
    0,
    0,
    0,
    24,
    0,
    0,
    0,
    0,
    0,
    20,
    0,
    0,
    0,
    0,
    20,
    0,
    0,
    0,
    0,
    24,
    0,
    0,
    0,
    0,
    20,
    0,
    0,
    0,
    0,
    0,
    0,
    20,
    0,
    0,
    0,
    24,
    0,
    0,
    0,
    20,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    20,
    0,
    0,
    24,
    0,
    0,
    20,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    20,
    2,
    24,
    2,
    20,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    2,
    53,
    56,
    53,
    2,
    0,
    0,
    0,
    0,
    0,
    0,
    24,
    24,
    24,
    24,
    24,
    24,
    56,
    0,
    56,
    24,
    24,
    24,
    24,
    24,
    24,
    0,
    0,
    0,
    0,
    0,
    0,
    2,
    53,
    56,
    53,
    2,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    20,
    2,
    24,
    2,
    20,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    20,
    0,
    0,
    24,
    0,
    0,
    20,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    20,
    0,
    0,
    0,
    24,
    0,
    0,
    0,
    20,
    0,
    0,
    0,
    0,
    0,
    0,
    20,
    0,
    0,
    0,
    0,
    24,
    0,
    0,
    0,
    0,
    20,
    0,
    0,
    0,
    0,
    20,
    0,
    0,
    0,
    0,
    0,
    24,
    0,
    0,
    0,
    0,
    0,
    20,
    0,
    0,
    20,
    0,
    0,
    0,
    0,
    0,
    0,
    24,
    0,
    0,
    0,
    0,
    0,
    0,
    20
  ];
  var RAYS = [
    17,
    0,
    0,
    0,
    0,
    0,
    0,
    16,
    0,
    0,
    0,
    0,
    0,
    0,
    15,
    0,
    0,
    17,
    0,
    0,
    0,
    0,
    0,
    16,
    0,
    0,
    0,
    0,
    0,
    15,
    0,
    0,
    0,
    0,
    17,
    0,
    0,
    0,
    0,
    16,
    0,
    0,
    0,
    0,
    15,
    0,
    0,
    0,
    0,
    0,
    0,
    17,
    0,
    0,
    0,
    16,
    0,
    0,
    0,
    15,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    17,
    0,
    0,
    16,
    0,
    0,
    15,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    17,
    0,
    16,
    0,
    15,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    17,
    16,
    15,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    0,
    -1,
    -1,
    -1,
    -1,
    -1,
    -1,
    -1,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    -15,
    -16,
    -17,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    -15,
    0,
    -16,
    0,
    -17,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    -15,
    0,
    0,
    -16,
    0,
    0,
    -17,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    -15,
    0,
    0,
    0,
    -16,
    0,
    0,
    0,
    -17,
    0,
    0,
    0,
    0,
    0,
    0,
    -15,
    0,
    0,
    0,
    0,
    -16,
    0,
    0,
    0,
    0,
    -17,
    0,
    0,
    0,
    0,
    -15,
    0,
    0,
    0,
    0,
    0,
    -16,
    0,
    0,
    0,
    0,
    0,
    -17,
    0,
    0,
    -15,
    0,
    0,
    0,
    0,
    0,
    0,
    -16,
    0,
    0,
    0,
    0,
    0,
    0,
    -17
  ];
  var PIECE_MASKS = { p: 1, n: 2, b: 4, r: 8, q: 16, k: 32 };
  var SYMBOLS = "pnbrqkPNBRQK";
  var PROMOTIONS = [KNIGHT, BISHOP, ROOK, QUEEN];
  var RANK_1 = 7;
  var RANK_2 = 6;
  var RANK_7 = 1;
  var RANK_8 = 0;
  var SIDES = {
    [KING]: BITS.KSIDE_CASTLE,
    [QUEEN]: BITS.QSIDE_CASTLE
  };
  var ROOKS = {
    w: [
      { square: Ox88.a1, flag: BITS.QSIDE_CASTLE },
      { square: Ox88.h1, flag: BITS.KSIDE_CASTLE }
    ],
    b: [
      { square: Ox88.a8, flag: BITS.QSIDE_CASTLE },
      { square: Ox88.h8, flag: BITS.KSIDE_CASTLE }
    ]
  };
  var SECOND_RANK = { b: RANK_7, w: RANK_2 };
  var SAN_NULLMOVE = "--";
  function rank(square) {
    return square >> 4;
  }
  function file(square) {
    return square & 15;
  }
  function isDigit(c) {
    return "0123456789".indexOf(c) !== -1;
  }
  function algebraic(square) {
    const f = file(square);
    const r = rank(square);
    return "abcdefgh".substring(f, f + 1) + "87654321".substring(r, r + 1);
  }
  function swapColor(color) {
    return color === WHITE ? BLACK : WHITE;
  }
  function validateFen(fen2) {
    const tokens = fen2.split(/\s+/);
    if (tokens.length !== 6) {
      return {
        ok: false,
        error: "Invalid FEN: must contain six space-delimited fields"
      };
    }
    const moveNumber = parseInt(tokens[5], 10);
    if (isNaN(moveNumber) || moveNumber <= 0) {
      return {
        ok: false,
        error: "Invalid FEN: move number must be a positive integer"
      };
    }
    const halfMoves = parseInt(tokens[4], 10);
    if (isNaN(halfMoves) || halfMoves < 0) {
      return {
        ok: false,
        error: "Invalid FEN: half move counter number must be a non-negative integer"
      };
    }
    if (!/^(-|[abcdefgh][36])$/.test(tokens[3])) {
      return { ok: false, error: "Invalid FEN: en-passant square is invalid" };
    }
    if (/[^kKqQ-]/.test(tokens[2])) {
      return { ok: false, error: "Invalid FEN: castling availability is invalid" };
    }
    if (!/^(w|b)$/.test(tokens[1])) {
      return { ok: false, error: "Invalid FEN: side-to-move is invalid" };
    }
    const rows = tokens[0].split("/");
    if (rows.length !== 8) {
      return {
        ok: false,
        error: "Invalid FEN: piece data does not contain 8 '/'-delimited rows"
      };
    }
    for (let i = 0; i < rows.length; i++) {
      let sumFields = 0;
      let previousWasNumber = false;
      for (let k = 0; k < rows[i].length; k++) {
        if (isDigit(rows[i][k])) {
          if (previousWasNumber) {
            return {
              ok: false,
              error: "Invalid FEN: piece data is invalid (consecutive number)"
            };
          }
          sumFields += parseInt(rows[i][k], 10);
          previousWasNumber = true;
        } else {
          if (!/^[prnbqkPRNBQK]$/.test(rows[i][k])) {
            return {
              ok: false,
              error: "Invalid FEN: piece data is invalid (invalid piece)"
            };
          }
          sumFields += 1;
          previousWasNumber = false;
        }
      }
      if (sumFields !== 8) {
        return {
          ok: false,
          error: "Invalid FEN: piece data is invalid (too many squares in rank)"
        };
      }
    }
    if (tokens[3][1] == "3" && tokens[1] == "w" || tokens[3][1] == "6" && tokens[1] == "b") {
      return { ok: false, error: "Invalid FEN: illegal en-passant square" };
    }
    const kings = [
      { color: "white", regex: /K/g },
      { color: "black", regex: /k/g }
    ];
    for (const { color, regex } of kings) {
      if (!regex.test(tokens[0])) {
        return { ok: false, error: `Invalid FEN: missing ${color} king` };
      }
      if ((tokens[0].match(regex) || []).length > 1) {
        return { ok: false, error: `Invalid FEN: too many ${color} kings` };
      }
    }
    if (Array.from(rows[0] + rows[7]).some((char) => char.toUpperCase() === "P")) {
      return {
        ok: false,
        error: "Invalid FEN: some pawns are on the edge rows"
      };
    }
    return { ok: true };
  }
  function getDisambiguator(move, moves) {
    const from = move.from;
    const to = move.to;
    const piece = move.piece;
    let ambiguities = 0;
    let sameRank = 0;
    let sameFile = 0;
    for (let i = 0, len = moves.length; i < len; i++) {
      const ambigFrom = moves[i].from;
      const ambigTo = moves[i].to;
      const ambigPiece = moves[i].piece;
      if (piece === ambigPiece && from !== ambigFrom && to === ambigTo) {
        ambiguities++;
        if (rank(from) === rank(ambigFrom)) {
          sameRank++;
        }
        if (file(from) === file(ambigFrom)) {
          sameFile++;
        }
      }
    }
    if (ambiguities > 0) {
      if (sameRank > 0 && sameFile > 0) {
        return algebraic(from);
      } else if (sameFile > 0) {
        return algebraic(from).charAt(1);
      } else {
        return algebraic(from).charAt(0);
      }
    }
    return "";
  }
  function addMove(moves, color, from, to, piece, captured = void 0, flags = BITS.NORMAL) {
    const r = rank(to);
    if (piece === PAWN && (r === RANK_1 || r === RANK_8)) {
      for (let i = 0; i < PROMOTIONS.length; i++) {
        const promotion = PROMOTIONS[i];
        moves.push({
          color,
          from,
          to,
          piece,
          captured,
          promotion,
          flags: flags | BITS.PROMOTION
        });
      }
    } else {
      moves.push({
        color,
        from,
        to,
        piece,
        captured,
        flags
      });
    }
  }
  function inferPieceType(san) {
    let pieceType = san.charAt(0);
    if (pieceType >= "a" && pieceType <= "h") {
      const matches = san.match(/[a-h]\d.*[a-h]\d/);
      if (matches) {
        return void 0;
      }
      return PAWN;
    }
    pieceType = pieceType.toLowerCase();
    if (pieceType === "o") {
      return KING;
    }
    return pieceType;
  }
  function strippedSan(move) {
    return move.replace(/=/, "").replace(/[+#]?[?!]*$/, "");
  }
  var Chess = class {
    constructor(fen2 = DEFAULT_POSITION, { skipValidation = false } = {}) {
      __publicField(this, "_board", new Array(128));
      __publicField(this, "_turn", WHITE);
      __publicField(this, "_header", {});
      __publicField(this, "_kings", { w: EMPTY, b: EMPTY });
      __publicField(this, "_epSquare", -1);
      __publicField(this, "_halfMoves", 0);
      __publicField(this, "_moveNumber", 0);
      __publicField(this, "_history", []);
      __publicField(this, "_comments", {});
      __publicField(this, "_castling", { w: 0, b: 0 });
      __publicField(this, "_hash", 0n);
      // tracks number of times a position has been seen for repetition checking
      __publicField(this, "_positionCount", /* @__PURE__ */ new Map());
      this.load(fen2, { skipValidation });
    }
    clear({ preserveHeaders = false } = {}) {
      this._board = new Array(128);
      this._kings = { w: EMPTY, b: EMPTY };
      this._turn = WHITE;
      this._castling = { w: 0, b: 0 };
      this._epSquare = EMPTY;
      this._halfMoves = 0;
      this._moveNumber = 1;
      this._history = [];
      this._comments = {};
      this._header = preserveHeaders ? this._header : { ...HEADER_TEMPLATE };
      this._hash = this._computeHash();
      this._positionCount = /* @__PURE__ */ new Map();
      this._header["SetUp"] = null;
      this._header["FEN"] = null;
    }
    load(fen2, { skipValidation = false, preserveHeaders = false } = {}) {
      let tokens = fen2.split(/\s+/);
      if (tokens.length >= 2 && tokens.length < 6) {
        const adjustments = ["-", "-", "0", "1"];
        fen2 = tokens.concat(adjustments.slice(-(6 - tokens.length))).join(" ");
      }
      tokens = fen2.split(/\s+/);
      if (!skipValidation) {
        const { ok, error } = validateFen(fen2);
        if (!ok) {
          throw new Error(error);
        }
      }
      const position = tokens[0];
      let square = 0;
      this.clear({ preserveHeaders });
      for (let i = 0; i < position.length; i++) {
        const piece = position.charAt(i);
        if (piece === "/") {
          square += 8;
        } else if (isDigit(piece)) {
          square += parseInt(piece, 10);
        } else {
          const color = piece < "a" ? WHITE : BLACK;
          this._put({ type: piece.toLowerCase(), color }, algebraic(square));
          square++;
        }
      }
      this._turn = tokens[1];
      if (tokens[2].indexOf("K") > -1) {
        this._castling.w |= BITS.KSIDE_CASTLE;
      }
      if (tokens[2].indexOf("Q") > -1) {
        this._castling.w |= BITS.QSIDE_CASTLE;
      }
      if (tokens[2].indexOf("k") > -1) {
        this._castling.b |= BITS.KSIDE_CASTLE;
      }
      if (tokens[2].indexOf("q") > -1) {
        this._castling.b |= BITS.QSIDE_CASTLE;
      }
      this._epSquare = tokens[3] === "-" ? EMPTY : Ox88[tokens[3]];
      this._halfMoves = parseInt(tokens[4], 10);
      this._moveNumber = parseInt(tokens[5], 10);
      this._hash = this._computeHash();
      this._updateSetup(fen2);
      this._incPositionCount();
    }
    fen({ forceEnpassantSquare = false } = {}) {
      let empty = 0;
      let fen2 = "";
      for (let i = Ox88.a8; i <= Ox88.h1; i++) {
        if (this._board[i]) {
          if (empty > 0) {
            fen2 += empty;
            empty = 0;
          }
          const { color, type: piece } = this._board[i];
          fen2 += color === WHITE ? piece.toUpperCase() : piece.toLowerCase();
        } else {
          empty++;
        }
        if (i + 1 & 136) {
          if (empty > 0) {
            fen2 += empty;
          }
          if (i !== Ox88.h1) {
            fen2 += "/";
          }
          empty = 0;
          i += 8;
        }
      }
      let castling = "";
      if (this._castling[WHITE] & BITS.KSIDE_CASTLE) {
        castling += "K";
      }
      if (this._castling[WHITE] & BITS.QSIDE_CASTLE) {
        castling += "Q";
      }
      if (this._castling[BLACK] & BITS.KSIDE_CASTLE) {
        castling += "k";
      }
      if (this._castling[BLACK] & BITS.QSIDE_CASTLE) {
        castling += "q";
      }
      castling = castling || "-";
      let epSquare = "-";
      if (this._epSquare !== EMPTY) {
        if (forceEnpassantSquare) {
          epSquare = algebraic(this._epSquare);
        } else {
          const bigPawnSquare = this._epSquare + (this._turn === WHITE ? 16 : -16);
          const squares = [bigPawnSquare + 1, bigPawnSquare - 1];
          for (const square of squares) {
            if (square & 136) {
              continue;
            }
            const color = this._turn;
            if (this._board[square]?.color === color && this._board[square]?.type === PAWN) {
              this._makeMove({
                color,
                from: square,
                to: this._epSquare,
                piece: PAWN,
                captured: PAWN,
                flags: BITS.EP_CAPTURE
              });
              const isLegal = !this._isKingAttacked(color);
              this._undoMove();
              if (isLegal) {
                epSquare = algebraic(this._epSquare);
                break;
              }
            }
          }
        }
      }
      return [
        fen2,
        this._turn,
        castling,
        epSquare,
        this._halfMoves,
        this._moveNumber
      ].join(" ");
    }
    _pieceKey(i) {
      if (!this._board[i]) {
        return 0n;
      }
      const { color, type } = this._board[i];
      const colorIndex = {
        w: 0,
        b: 1
      }[color];
      const typeIndex = {
        p: 0,
        n: 1,
        b: 2,
        r: 3,
        q: 4,
        k: 5
      }[type];
      return PIECE_KEYS[colorIndex][typeIndex][i];
    }
    _epKey() {
      return this._epSquare === EMPTY ? 0n : EP_KEYS[this._epSquare & 7];
    }
    _castlingKey() {
      const index = this._castling.w >> 5 | this._castling.b >> 3;
      return CASTLING_KEYS[index];
    }
    _computeHash() {
      let hash = 0n;
      for (let i = Ox88.a8; i <= Ox88.h1; i++) {
        if (i & 136) {
          i += 7;
          continue;
        }
        if (this._board[i]) {
          hash ^= this._pieceKey(i);
        }
      }
      hash ^= this._epKey();
      hash ^= this._castlingKey();
      if (this._turn === "b") {
        hash ^= SIDE_KEY;
      }
      return hash;
    }
    /*
     * Called when the initial board setup is changed with put() or remove().
     * modifies the SetUp and FEN properties of the header object. If the FEN
     * is equal to the default position, the SetUp and FEN are deleted the setup
     * is only updated if history.length is zero, ie moves haven't been made.
     */
    _updateSetup(fen2) {
      if (this._history.length > 0)
        return;
      if (fen2 !== DEFAULT_POSITION) {
        this._header["SetUp"] = "1";
        this._header["FEN"] = fen2;
      } else {
        this._header["SetUp"] = null;
        this._header["FEN"] = null;
      }
    }
    reset() {
      this.load(DEFAULT_POSITION);
    }
    get(square) {
      return this._board[Ox88[square]];
    }
    findPiece(piece) {
      const squares = [];
      for (let i = Ox88.a8; i <= Ox88.h1; i++) {
        if (i & 136) {
          i += 7;
          continue;
        }
        if (!this._board[i] || this._board[i]?.color !== piece.color) {
          continue;
        }
        if (this._board[i].color === piece.color && this._board[i].type === piece.type) {
          squares.push(algebraic(i));
        }
      }
      return squares;
    }
    put({ type, color }, square) {
      if (this._put({ type, color }, square)) {
        this._updateCastlingRights();
        this._updateEnPassantSquare();
        this._updateSetup(this.fen());
        return true;
      }
      return false;
    }
    _set(sq, piece) {
      this._hash ^= this._pieceKey(sq);
      this._board[sq] = piece;
      this._hash ^= this._pieceKey(sq);
    }
    _put({ type, color }, square) {
      if (SYMBOLS.indexOf(type.toLowerCase()) === -1) {
        return false;
      }
      if (!(square in Ox88)) {
        return false;
      }
      const sq = Ox88[square];
      if (type == KING && !(this._kings[color] == EMPTY || this._kings[color] == sq)) {
        return false;
      }
      const currentPieceOnSquare = this._board[sq];
      if (currentPieceOnSquare && currentPieceOnSquare.type === KING) {
        this._kings[currentPieceOnSquare.color] = EMPTY;
      }
      this._set(sq, { type, color });
      if (type === KING) {
        this._kings[color] = sq;
      }
      return true;
    }
    _clear(sq) {
      this._hash ^= this._pieceKey(sq);
      delete this._board[sq];
    }
    remove(square) {
      const piece = this.get(square);
      this._clear(Ox88[square]);
      if (piece && piece.type === KING) {
        this._kings[piece.color] = EMPTY;
      }
      this._updateCastlingRights();
      this._updateEnPassantSquare();
      this._updateSetup(this.fen());
      return piece;
    }
    _updateCastlingRights() {
      this._hash ^= this._castlingKey();
      const whiteKingInPlace = this._board[Ox88.e1]?.type === KING && this._board[Ox88.e1]?.color === WHITE;
      const blackKingInPlace = this._board[Ox88.e8]?.type === KING && this._board[Ox88.e8]?.color === BLACK;
      if (!whiteKingInPlace || this._board[Ox88.a1]?.type !== ROOK || this._board[Ox88.a1]?.color !== WHITE) {
        this._castling.w &= -65;
      }
      if (!whiteKingInPlace || this._board[Ox88.h1]?.type !== ROOK || this._board[Ox88.h1]?.color !== WHITE) {
        this._castling.w &= -33;
      }
      if (!blackKingInPlace || this._board[Ox88.a8]?.type !== ROOK || this._board[Ox88.a8]?.color !== BLACK) {
        this._castling.b &= -65;
      }
      if (!blackKingInPlace || this._board[Ox88.h8]?.type !== ROOK || this._board[Ox88.h8]?.color !== BLACK) {
        this._castling.b &= -33;
      }
      this._hash ^= this._castlingKey();
    }
    _updateEnPassantSquare() {
      if (this._epSquare === EMPTY) {
        return;
      }
      const startSquare = this._epSquare + (this._turn === WHITE ? -16 : 16);
      const currentSquare = this._epSquare + (this._turn === WHITE ? 16 : -16);
      const attackers = [currentSquare + 1, currentSquare - 1];
      if (this._board[startSquare] !== null || this._board[this._epSquare] !== null || this._board[currentSquare]?.color !== swapColor(this._turn) || this._board[currentSquare]?.type !== PAWN) {
        this._hash ^= this._epKey();
        this._epSquare = EMPTY;
        return;
      }
      const canCapture = (square) => !(square & 136) && this._board[square]?.color === this._turn && this._board[square]?.type === PAWN;
      if (!attackers.some(canCapture)) {
        this._hash ^= this._epKey();
        this._epSquare = EMPTY;
      }
    }
    _attacked(color, square, verbose) {
      const attackers = [];
      for (let i = Ox88.a8; i <= Ox88.h1; i++) {
        if (i & 136) {
          i += 7;
          continue;
        }
        if (this._board[i] === void 0 || this._board[i].color !== color) {
          continue;
        }
        const piece = this._board[i];
        const difference = i - square;
        if (difference === 0) {
          continue;
        }
        const index = difference + 119;
        if (ATTACKS[index] & PIECE_MASKS[piece.type]) {
          if (piece.type === PAWN) {
            if (difference > 0 && piece.color === WHITE || difference <= 0 && piece.color === BLACK) {
              if (!verbose) {
                return true;
              } else {
                attackers.push(algebraic(i));
              }
            }
            continue;
          }
          if (piece.type === "n" || piece.type === "k") {
            if (!verbose) {
              return true;
            } else {
              attackers.push(algebraic(i));
              continue;
            }
          }
          const offset = RAYS[index];
          let j = i + offset;
          let blocked = false;
          while (j !== square) {
            if (this._board[j] != null) {
              blocked = true;
              break;
            }
            j += offset;
          }
          if (!blocked) {
            if (!verbose) {
              return true;
            } else {
              attackers.push(algebraic(i));
              continue;
            }
          }
        }
      }
      if (verbose) {
        return attackers;
      } else {
        return false;
      }
    }
    attackers(square, attackedBy) {
      if (!attackedBy) {
        return this._attacked(this._turn, Ox88[square], true);
      } else {
        return this._attacked(attackedBy, Ox88[square], true);
      }
    }
    _isKingAttacked(color) {
      const square = this._kings[color];
      return square === -1 ? false : this._attacked(swapColor(color), square);
    }
    hash() {
      return this._hash.toString(16);
    }
    isAttacked(square, attackedBy) {
      return this._attacked(attackedBy, Ox88[square]);
    }
    isCheck() {
      return this._isKingAttacked(this._turn);
    }
    inCheck() {
      return this.isCheck();
    }
    isCheckmate() {
      return this.isCheck() && this._moves().length === 0;
    }
    isStalemate() {
      return !this.isCheck() && this._moves().length === 0;
    }
    isInsufficientMaterial() {
      const pieces = {
        b: 0,
        n: 0,
        r: 0,
        q: 0,
        k: 0,
        p: 0
      };
      const bishops = [];
      let numPieces = 0;
      let squareColor = 0;
      for (let i = Ox88.a8; i <= Ox88.h1; i++) {
        squareColor = (squareColor + 1) % 2;
        if (i & 136) {
          i += 7;
          continue;
        }
        const piece = this._board[i];
        if (piece) {
          pieces[piece.type] = piece.type in pieces ? pieces[piece.type] + 1 : 1;
          if (piece.type === BISHOP) {
            bishops.push(squareColor);
          }
          numPieces++;
        }
      }
      if (numPieces === 2) {
        return true;
      } else if (
        // k vs. kn .... or .... k vs. kb
        numPieces === 3 && (pieces[BISHOP] === 1 || pieces[KNIGHT] === 1)
      ) {
        return true;
      } else if (numPieces === pieces[BISHOP] + 2) {
        let sum = 0;
        const len = bishops.length;
        for (let i = 0; i < len; i++) {
          sum += bishops[i];
        }
        if (sum === 0 || sum === len) {
          return true;
        }
      }
      return false;
    }
    isThreefoldRepetition() {
      return this._getPositionCount(this._hash) >= 3;
    }
    isDrawByFiftyMoves() {
      return this._halfMoves >= 100;
    }
    isDraw() {
      return this.isDrawByFiftyMoves() || this.isStalemate() || this.isInsufficientMaterial() || this.isThreefoldRepetition();
    }
    isGameOver() {
      return this.isCheckmate() || this.isDraw();
    }
    moves({ verbose = false, square = void 0, piece = void 0 } = {}) {
      const moves = this._moves({ square, piece });
      if (verbose) {
        return moves.map((move) => new Move(this, move));
      } else {
        return moves.map((move) => this._moveToSan(move, moves));
      }
    }
    _moves({ legal: legal2 = true, piece = void 0, square = void 0 } = {}) {
      const forSquare = square ? square.toLowerCase() : void 0;
      const forPiece = piece?.toLowerCase();
      const moves = [];
      const us = this._turn;
      const them = swapColor(us);
      let firstSquare = Ox88.a8;
      let lastSquare = Ox88.h1;
      let singleSquare = false;
      if (forSquare) {
        if (!(forSquare in Ox88)) {
          return [];
        } else {
          firstSquare = lastSquare = Ox88[forSquare];
          singleSquare = true;
        }
      }
      for (let from = firstSquare; from <= lastSquare; from++) {
        if (from & 136) {
          from += 7;
          continue;
        }
        if (!this._board[from] || this._board[from].color === them) {
          continue;
        }
        const { type } = this._board[from];
        let to;
        if (type === PAWN) {
          if (forPiece && forPiece !== type)
            continue;
          to = from + PAWN_OFFSETS[us][0];
          if (!this._board[to]) {
            addMove(moves, us, from, to, PAWN);
            to = from + PAWN_OFFSETS[us][1];
            if (SECOND_RANK[us] === rank(from) && !this._board[to]) {
              addMove(moves, us, from, to, PAWN, void 0, BITS.BIG_PAWN);
            }
          }
          for (let j = 2; j < 4; j++) {
            to = from + PAWN_OFFSETS[us][j];
            if (to & 136)
              continue;
            if (this._board[to]?.color === them) {
              addMove(moves, us, from, to, PAWN, this._board[to].type, BITS.CAPTURE);
            } else if (to === this._epSquare) {
              addMove(moves, us, from, to, PAWN, PAWN, BITS.EP_CAPTURE);
            }
          }
        } else {
          if (forPiece && forPiece !== type)
            continue;
          for (let j = 0, len = PIECE_OFFSETS[type].length; j < len; j++) {
            const offset = PIECE_OFFSETS[type][j];
            to = from;
            while (true) {
              to += offset;
              if (to & 136)
                break;
              if (!this._board[to]) {
                addMove(moves, us, from, to, type);
              } else {
                if (this._board[to].color === us)
                  break;
                addMove(moves, us, from, to, type, this._board[to].type, BITS.CAPTURE);
                break;
              }
              if (type === KNIGHT || type === KING)
                break;
            }
          }
        }
      }
      if (forPiece === void 0 || forPiece === KING) {
        if (!singleSquare || lastSquare === this._kings[us]) {
          if (this._castling[us] & BITS.KSIDE_CASTLE) {
            const castlingFrom = this._kings[us];
            const castlingTo = castlingFrom + 2;
            if (!this._board[castlingFrom + 1] && !this._board[castlingTo] && !this._attacked(them, this._kings[us]) && !this._attacked(them, castlingFrom + 1) && !this._attacked(them, castlingTo)) {
              addMove(moves, us, this._kings[us], castlingTo, KING, void 0, BITS.KSIDE_CASTLE);
            }
          }
          if (this._castling[us] & BITS.QSIDE_CASTLE) {
            const castlingFrom = this._kings[us];
            const castlingTo = castlingFrom - 2;
            if (!this._board[castlingFrom - 1] && !this._board[castlingFrom - 2] && !this._board[castlingFrom - 3] && !this._attacked(them, this._kings[us]) && !this._attacked(them, castlingFrom - 1) && !this._attacked(them, castlingTo)) {
              addMove(moves, us, this._kings[us], castlingTo, KING, void 0, BITS.QSIDE_CASTLE);
            }
          }
        }
      }
      if (!legal2 || this._kings[us] === -1) {
        return moves;
      }
      const legalMoves = [];
      for (let i = 0, len = moves.length; i < len; i++) {
        this._makeMove(moves[i]);
        if (!this._isKingAttacked(us)) {
          legalMoves.push(moves[i]);
        }
        this._undoMove();
      }
      return legalMoves;
    }
    move(move, { strict = false } = {}) {
      let moveObj = null;
      if (typeof move === "string") {
        moveObj = this._moveFromSan(move, strict);
      } else if (move === null) {
        moveObj = this._moveFromSan(SAN_NULLMOVE, strict);
      } else if (typeof move === "object") {
        const moves = this._moves();
        for (let i = 0, len = moves.length; i < len; i++) {
          if (move.from === algebraic(moves[i].from) && move.to === algebraic(moves[i].to) && (!("promotion" in moves[i]) || move.promotion === moves[i].promotion)) {
            moveObj = moves[i];
            break;
          }
        }
      }
      if (!moveObj) {
        if (typeof move === "string") {
          throw new Error(`Invalid move: ${move}`);
        } else {
          throw new Error(`Invalid move: ${JSON.stringify(move)}`);
        }
      }
      if (this.isCheck() && moveObj.flags & BITS.NULL_MOVE) {
        throw new Error("Null move not allowed when in check");
      }
      const prettyMove = new Move(this, moveObj);
      this._makeMove(moveObj);
      this._incPositionCount();
      return prettyMove;
    }
    _push(move) {
      this._history.push({
        move,
        kings: { b: this._kings.b, w: this._kings.w },
        turn: this._turn,
        castling: { b: this._castling.b, w: this._castling.w },
        epSquare: this._epSquare,
        halfMoves: this._halfMoves,
        moveNumber: this._moveNumber
      });
    }
    _movePiece(from, to) {
      this._hash ^= this._pieceKey(from);
      this._board[to] = this._board[from];
      delete this._board[from];
      this._hash ^= this._pieceKey(to);
    }
    _makeMove(move) {
      const us = this._turn;
      const them = swapColor(us);
      this._push(move);
      if (move.flags & BITS.NULL_MOVE) {
        if (us === BLACK) {
          this._moveNumber++;
        }
        this._halfMoves++;
        this._turn = them;
        this._epSquare = EMPTY;
        return;
      }
      this._hash ^= this._epKey();
      this._hash ^= this._castlingKey();
      if (move.captured) {
        this._hash ^= this._pieceKey(move.to);
      }
      this._movePiece(move.from, move.to);
      if (move.flags & BITS.EP_CAPTURE) {
        if (this._turn === BLACK) {
          this._clear(move.to - 16);
        } else {
          this._clear(move.to + 16);
        }
      }
      if (move.promotion) {
        this._clear(move.to);
        this._set(move.to, { type: move.promotion, color: us });
      }
      if (this._board[move.to].type === KING) {
        this._kings[us] = move.to;
        if (move.flags & BITS.KSIDE_CASTLE) {
          const castlingTo = move.to - 1;
          const castlingFrom = move.to + 1;
          this._movePiece(castlingFrom, castlingTo);
        } else if (move.flags & BITS.QSIDE_CASTLE) {
          const castlingTo = move.to + 1;
          const castlingFrom = move.to - 2;
          this._movePiece(castlingFrom, castlingTo);
        }
        this._castling[us] = 0;
      }
      if (this._castling[us]) {
        for (let i = 0, len = ROOKS[us].length; i < len; i++) {
          if (move.from === ROOKS[us][i].square && this._castling[us] & ROOKS[us][i].flag) {
            this._castling[us] ^= ROOKS[us][i].flag;
            break;
          }
        }
      }
      if (this._castling[them]) {
        for (let i = 0, len = ROOKS[them].length; i < len; i++) {
          if (move.to === ROOKS[them][i].square && this._castling[them] & ROOKS[them][i].flag) {
            this._castling[them] ^= ROOKS[them][i].flag;
            break;
          }
        }
      }
      this._hash ^= this._castlingKey();
      if (move.flags & BITS.BIG_PAWN) {
        let epSquare;
        if (us === BLACK) {
          epSquare = move.to - 16;
        } else {
          epSquare = move.to + 16;
        }
        if (!(move.to - 1 & 136) && this._board[move.to - 1]?.type === PAWN && this._board[move.to - 1]?.color === them || !(move.to + 1 & 136) && this._board[move.to + 1]?.type === PAWN && this._board[move.to + 1]?.color === them) {
          this._epSquare = epSquare;
          this._hash ^= this._epKey();
        } else {
          this._epSquare = EMPTY;
        }
      } else {
        this._epSquare = EMPTY;
      }
      if (move.piece === PAWN) {
        this._halfMoves = 0;
      } else if (move.flags & (BITS.CAPTURE | BITS.EP_CAPTURE)) {
        this._halfMoves = 0;
      } else {
        this._halfMoves++;
      }
      if (us === BLACK) {
        this._moveNumber++;
      }
      this._turn = them;
      this._hash ^= SIDE_KEY;
    }
    undo() {
      const hash = this._hash;
      const move = this._undoMove();
      if (move) {
        const prettyMove = new Move(this, move);
        this._decPositionCount(hash);
        return prettyMove;
      }
      return null;
    }
    _undoMove() {
      const old = this._history.pop();
      if (old === void 0) {
        return null;
      }
      this._hash ^= this._epKey();
      this._hash ^= this._castlingKey();
      const move = old.move;
      this._kings = old.kings;
      this._turn = old.turn;
      this._castling = old.castling;
      this._epSquare = old.epSquare;
      this._halfMoves = old.halfMoves;
      this._moveNumber = old.moveNumber;
      this._hash ^= this._epKey();
      this._hash ^= this._castlingKey();
      this._hash ^= SIDE_KEY;
      const us = this._turn;
      const them = swapColor(us);
      if (move.flags & BITS.NULL_MOVE) {
        return move;
      }
      this._movePiece(move.to, move.from);
      if (move.piece) {
        this._clear(move.from);
        this._set(move.from, { type: move.piece, color: us });
      }
      if (move.captured) {
        if (move.flags & BITS.EP_CAPTURE) {
          let index;
          if (us === BLACK) {
            index = move.to - 16;
          } else {
            index = move.to + 16;
          }
          this._set(index, { type: PAWN, color: them });
        } else {
          this._set(move.to, { type: move.captured, color: them });
        }
      }
      if (move.flags & (BITS.KSIDE_CASTLE | BITS.QSIDE_CASTLE)) {
        let castlingTo, castlingFrom;
        if (move.flags & BITS.KSIDE_CASTLE) {
          castlingTo = move.to + 1;
          castlingFrom = move.to - 1;
        } else {
          castlingTo = move.to - 2;
          castlingFrom = move.to + 1;
        }
        this._movePiece(castlingFrom, castlingTo);
      }
      return move;
    }
    pgn({ newline = "\n", maxWidth = 0 } = {}) {
      const result = [];
      let headerExists = false;
      for (const i in this._header) {
        const headerTag = this._header[i];
        if (headerTag)
          result.push(`[${i} "${this._header[i]}"]` + newline);
        headerExists = true;
      }
      if (headerExists && this._history.length) {
        result.push(newline);
      }
      const appendComment = (moveString2) => {
        const comment = this._comments[this.fen()];
        if (typeof comment !== "undefined") {
          const delimiter = moveString2.length > 0 ? " " : "";
          moveString2 = `${moveString2}${delimiter}{${comment}}`;
        }
        return moveString2;
      };
      const reversedHistory = [];
      while (this._history.length > 0) {
        reversedHistory.push(this._undoMove());
      }
      const moves = [];
      let moveString = "";
      if (reversedHistory.length === 0) {
        moves.push(appendComment(""));
      }
      while (reversedHistory.length > 0) {
        moveString = appendComment(moveString);
        const move = reversedHistory.pop();
        if (!move) {
          break;
        }
        if (!this._history.length && move.color === "b") {
          const prefix = `${this._moveNumber}. ...`;
          moveString = moveString ? `${moveString} ${prefix}` : prefix;
        } else if (move.color === "w") {
          if (moveString.length) {
            moves.push(moveString);
          }
          moveString = this._moveNumber + ".";
        }
        moveString = moveString + " " + this._moveToSan(move, this._moves({ legal: true }));
        this._makeMove(move);
      }
      if (moveString.length) {
        moves.push(appendComment(moveString));
      }
      moves.push(this._header.Result || "*");
      if (maxWidth === 0) {
        return result.join("") + moves.join(" ");
      }
      const strip = function() {
        if (result.length > 0 && result[result.length - 1] === " ") {
          result.pop();
          return true;
        }
        return false;
      };
      const wrapComment = function(width, move) {
        for (const token of move.split(" ")) {
          if (!token) {
            continue;
          }
          if (width + token.length > maxWidth) {
            while (strip()) {
              width--;
            }
            result.push(newline);
            width = 0;
          }
          result.push(token);
          width += token.length;
          result.push(" ");
          width++;
        }
        if (strip()) {
          width--;
        }
        return width;
      };
      let currentWidth = 0;
      for (let i = 0; i < moves.length; i++) {
        if (currentWidth + moves[i].length > maxWidth) {
          if (moves[i].includes("{")) {
            currentWidth = wrapComment(currentWidth, moves[i]);
            continue;
          }
        }
        if (currentWidth + moves[i].length > maxWidth && i !== 0) {
          if (result[result.length - 1] === " ") {
            result.pop();
          }
          result.push(newline);
          currentWidth = 0;
        } else if (i !== 0) {
          result.push(" ");
          currentWidth++;
        }
        result.push(moves[i]);
        currentWidth += moves[i].length;
      }
      return result.join("");
    }
    /**
     * @deprecated Use `setHeader` and `getHeaders` instead. This method will return null header tags (which is not what you want)
     */
    header(...args) {
      for (let i = 0; i < args.length; i += 2) {
        if (typeof args[i] === "string" && typeof args[i + 1] === "string") {
          this._header[args[i]] = args[i + 1];
        }
      }
      return this._header;
    }
    // TODO: value validation per spec
    setHeader(key, value) {
      this._header[key] = value ?? SEVEN_TAG_ROSTER[key] ?? null;
      return this.getHeaders();
    }
    removeHeader(key) {
      if (key in this._header) {
        this._header[key] = SEVEN_TAG_ROSTER[key] || null;
        return true;
      }
      return false;
    }
    // return only non-null headers (omit placemarker nulls)
    getHeaders() {
      const nonNullHeaders = {};
      for (const [key, value] of Object.entries(this._header)) {
        if (value !== null) {
          nonNullHeaders[key] = value;
        }
      }
      return nonNullHeaders;
    }
    loadPgn(pgn3, { strict = false, newlineChar = "\r?\n" } = {}) {
      if (newlineChar !== "\r?\n") {
        pgn3 = pgn3.replace(new RegExp(newlineChar, "g"), "\n");
      }
      const parsedPgn = peg$parse(pgn3);
      this.reset();
      const headers = parsedPgn.headers;
      let fen2 = "";
      for (const key in headers) {
        if (key.toLowerCase() === "fen") {
          fen2 = headers[key];
        }
        this.header(key, headers[key]);
      }
      if (!strict) {
        if (fen2) {
          this.load(fen2, { preserveHeaders: true });
        }
      } else {
        if (headers["SetUp"] === "1") {
          if (!("FEN" in headers)) {
            throw new Error("Invalid PGN: FEN tag must be supplied with SetUp tag");
          }
          this.load(headers["FEN"], { preserveHeaders: true });
        }
      }
      let node2 = parsedPgn.root;
      while (node2) {
        if (node2.move) {
          const move = this._moveFromSan(node2.move, strict);
          if (move == null) {
            throw new Error(`Invalid move in PGN: ${node2.move}`);
          } else {
            this._makeMove(move);
            this._incPositionCount();
          }
        }
        if (node2.comment !== void 0) {
          this._comments[this.fen()] = node2.comment;
        }
        node2 = node2.variations[0];
      }
      const result = parsedPgn.result;
      if (result && Object.keys(this._header).length && this._header["Result"] !== result) {
        this.setHeader("Result", result);
      }
    }
    /*
     * Convert a move from 0x88 coordinates to Standard Algebraic Notation
     * (SAN)
     *
     * @param {boolean} strict Use the strict SAN parser. It will throw errors
     * on overly disambiguated moves (see below):
     *
     * r1bqkbnr/ppp2ppp/2n5/1B1pP3/4P3/8/PPPP2PP/RNBQK1NR b KQkq - 2 4
     * 4. ... Nge7 is overly disambiguated because the knight on c6 is pinned
     * 4. ... Ne7 is technically the valid SAN
     */
    _moveToSan(move, moves) {
      let output = "";
      if (move.flags & BITS.KSIDE_CASTLE) {
        output = "O-O";
      } else if (move.flags & BITS.QSIDE_CASTLE) {
        output = "O-O-O";
      } else if (move.flags & BITS.NULL_MOVE) {
        return SAN_NULLMOVE;
      } else {
        if (move.piece !== PAWN) {
          const disambiguator = getDisambiguator(move, moves);
          output += move.piece.toUpperCase() + disambiguator;
        }
        if (move.flags & (BITS.CAPTURE | BITS.EP_CAPTURE)) {
          if (move.piece === PAWN) {
            output += algebraic(move.from)[0];
          }
          output += "x";
        }
        output += algebraic(move.to);
        if (move.promotion) {
          output += "=" + move.promotion.toUpperCase();
        }
      }
      this._makeMove(move);
      if (this.isCheck()) {
        if (this.isCheckmate()) {
          output += "#";
        } else {
          output += "+";
        }
      }
      this._undoMove();
      return output;
    }
    // convert a move from Standard Algebraic Notation (SAN) to 0x88 coordinates
    _moveFromSan(move, strict = false) {
      let cleanMove = strippedSan(move);
      if (!strict) {
        if (cleanMove === "0-0") {
          cleanMove = "O-O";
        } else if (cleanMove === "0-0-0") {
          cleanMove = "O-O-O";
        }
      }
      if (cleanMove == SAN_NULLMOVE) {
        const res = {
          color: this._turn,
          from: 0,
          to: 0,
          piece: "k",
          flags: BITS.NULL_MOVE
        };
        return res;
      }
      let pieceType = inferPieceType(cleanMove);
      let moves = this._moves({ legal: true, piece: pieceType });
      for (let i = 0, len = moves.length; i < len; i++) {
        if (cleanMove === strippedSan(this._moveToSan(moves[i], moves))) {
          return moves[i];
        }
      }
      if (strict) {
        return null;
      }
      let piece = void 0;
      let matches = void 0;
      let from = void 0;
      let to = void 0;
      let promotion = void 0;
      let overlyDisambiguated = false;
      matches = cleanMove.match(/([pnbrqkPNBRQK])?([a-h][1-8])x?-?([a-h][1-8])([qrbnQRBN])?/);
      if (matches) {
        piece = matches[1];
        from = matches[2];
        to = matches[3];
        promotion = matches[4];
        if (from.length == 1) {
          overlyDisambiguated = true;
        }
      } else {
        matches = cleanMove.match(/([pnbrqkPNBRQK])?([a-h]?[1-8]?)x?-?([a-h][1-8])([qrbnQRBN])?/);
        if (matches) {
          piece = matches[1];
          from = matches[2];
          to = matches[3];
          promotion = matches[4];
          if (from.length == 1) {
            overlyDisambiguated = true;
          }
        }
      }
      pieceType = inferPieceType(cleanMove);
      moves = this._moves({
        legal: true,
        piece: piece ? piece : pieceType
      });
      if (!to) {
        return null;
      }
      for (let i = 0, len = moves.length; i < len; i++) {
        if (!from) {
          if (cleanMove === strippedSan(this._moveToSan(moves[i], moves)).replace("x", "")) {
            return moves[i];
          }
        } else if ((!piece || piece.toLowerCase() == moves[i].piece) && Ox88[from] == moves[i].from && Ox88[to] == moves[i].to && (!promotion || promotion.toLowerCase() == moves[i].promotion)) {
          return moves[i];
        } else if (overlyDisambiguated) {
          const square = algebraic(moves[i].from);
          if ((!piece || piece.toLowerCase() == moves[i].piece) && Ox88[to] == moves[i].to && (from == square[0] || from == square[1]) && (!promotion || promotion.toLowerCase() == moves[i].promotion)) {
            return moves[i];
          }
        }
      }
      return null;
    }
    ascii() {
      let s = "   +------------------------+\n";
      for (let i = Ox88.a8; i <= Ox88.h1; i++) {
        if (file(i) === 0) {
          s += " " + "87654321"[rank(i)] + " |";
        }
        if (this._board[i]) {
          const piece = this._board[i].type;
          const color = this._board[i].color;
          const symbol = color === WHITE ? piece.toUpperCase() : piece.toLowerCase();
          s += " " + symbol + " ";
        } else {
          s += " . ";
        }
        if (i + 1 & 136) {
          s += "|\n";
          i += 8;
        }
      }
      s += "   +------------------------+\n";
      s += "     a  b  c  d  e  f  g  h";
      return s;
    }
    perft(depth) {
      const moves = this._moves({ legal: false });
      let nodes = 0;
      const color = this._turn;
      for (let i = 0, len = moves.length; i < len; i++) {
        this._makeMove(moves[i]);
        if (!this._isKingAttacked(color)) {
          if (depth - 1 > 0) {
            nodes += this.perft(depth - 1);
          } else {
            nodes++;
          }
        }
        this._undoMove();
      }
      return nodes;
    }
    setTurn(color) {
      if (this._turn == color) {
        return false;
      }
      this.move("--");
      return true;
    }
    turn() {
      return this._turn;
    }
    board() {
      const output = [];
      let row = [];
      for (let i = Ox88.a8; i <= Ox88.h1; i++) {
        if (this._board[i] == null) {
          row.push(null);
        } else {
          row.push({
            square: algebraic(i),
            type: this._board[i].type,
            color: this._board[i].color
          });
        }
        if (i + 1 & 136) {
          output.push(row);
          row = [];
          i += 8;
        }
      }
      return output;
    }
    squareColor(square) {
      if (square in Ox88) {
        const sq = Ox88[square];
        return (rank(sq) + file(sq)) % 2 === 0 ? "light" : "dark";
      }
      return null;
    }
    history({ verbose = false } = {}) {
      const reversedHistory = [];
      const moveHistory = [];
      while (this._history.length > 0) {
        reversedHistory.push(this._undoMove());
      }
      while (true) {
        const move = reversedHistory.pop();
        if (!move) {
          break;
        }
        if (verbose) {
          moveHistory.push(new Move(this, move));
        } else {
          moveHistory.push(this._moveToSan(move, this._moves()));
        }
        this._makeMove(move);
      }
      return moveHistory;
    }
    /*
     * Keeps track of position occurrence counts for the purpose of repetition
     * checking. Old positions are removed from the map if their counts are reduced to 0.
     */
    _getPositionCount(hash) {
      return this._positionCount.get(hash) ?? 0;
    }
    _incPositionCount() {
      this._positionCount.set(this._hash, (this._positionCount.get(this._hash) ?? 0) + 1);
    }
    _decPositionCount(hash) {
      const currentCount = this._positionCount.get(hash) ?? 0;
      if (currentCount === 1) {
        this._positionCount.delete(hash);
      } else {
        this._positionCount.set(hash, currentCount - 1);
      }
    }
    _pruneComments() {
      const reversedHistory = [];
      const currentComments = {};
      const copyComment = (fen2) => {
        if (fen2 in this._comments) {
          currentComments[fen2] = this._comments[fen2];
        }
      };
      while (this._history.length > 0) {
        reversedHistory.push(this._undoMove());
      }
      copyComment(this.fen());
      while (true) {
        const move = reversedHistory.pop();
        if (!move) {
          break;
        }
        this._makeMove(move);
        copyComment(this.fen());
      }
      this._comments = currentComments;
    }
    getComment() {
      return this._comments[this.fen()];
    }
    setComment(comment) {
      this._comments[this.fen()] = comment.replace("{", "[").replace("}", "]");
    }
    /**
     * @deprecated Renamed to `removeComment` for consistency
     */
    deleteComment() {
      return this.removeComment();
    }
    removeComment() {
      const comment = this._comments[this.fen()];
      delete this._comments[this.fen()];
      return comment;
    }
    getComments() {
      this._pruneComments();
      return Object.keys(this._comments).map((fen2) => {
        return { fen: fen2, comment: this._comments[fen2] };
      });
    }
    /**
     * @deprecated Renamed to `removeComments` for consistency
     */
    deleteComments() {
      return this.removeComments();
    }
    removeComments() {
      this._pruneComments();
      return Object.keys(this._comments).map((fen2) => {
        const comment = this._comments[fen2];
        delete this._comments[fen2];
        return { fen: fen2, comment };
      });
    }
    setCastlingRights(color, rights) {
      for (const side2 of [KING, QUEEN]) {
        if (rights[side2] !== void 0) {
          if (rights[side2]) {
            this._castling[color] |= SIDES[side2];
          } else {
            this._castling[color] &= ~SIDES[side2];
          }
        }
      }
      this._updateCastlingRights();
      const result = this.getCastlingRights(color);
      return (rights[KING] === void 0 || rights[KING] === result[KING]) && (rights[QUEEN] === void 0 || rights[QUEEN] === result[QUEEN]);
    }
    getCastlingRights(color) {
      return {
        [KING]: (this._castling[color] & SIDES[KING]) !== 0,
        [QUEEN]: (this._castling[color] & SIDES[QUEEN]) !== 0
      };
    }
    moveNumber() {
      return this._moveNumber;
    }
  };

  // node_modules/cm-chessboard/src/model/Position.js
  var FEN = {
    start: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    empty: "8/8/8/8/8/8/8/8"
  };
  var Position = class _Position {
    constructor(fen2 = FEN.empty) {
      this.squares = new Array(64).fill(null);
      this.setFen(fen2);
    }
    setFen(fen2 = FEN.empty) {
      const parts = fen2.replace(/^\s*/, "").replace(/\s*$/, "").split(/\/|\s/);
      for (let part = 0; part < 8; part++) {
        const row = parts[7 - part].replace(/\d/g, (str) => {
          const numSpaces = parseInt(str);
          let ret = "";
          for (let i = 0; i < numSpaces; i++) {
            ret += "-";
          }
          return ret;
        });
        for (let c = 0; c < 8; c++) {
          const char = row.substring(c, c + 1);
          let piece = null;
          if (char !== "-") {
            if (char.toUpperCase() === char) {
              piece = `w${char.toLowerCase()}`;
            } else {
              piece = `b${char}`;
            }
          }
          this.squares[part * 8 + c] = piece;
        }
      }
    }
    getFen() {
      let parts = new Array(8).fill("");
      for (let part = 0; part < 8; part++) {
        let spaceCounter = 0;
        for (let i = 0; i < 8; i++) {
          const piece = this.squares[part * 8 + i];
          if (!piece) {
            spaceCounter++;
          } else {
            if (spaceCounter > 0) {
              parts[7 - part] += spaceCounter;
              spaceCounter = 0;
            }
            const color = piece.substring(0, 1);
            const name = piece.substring(1, 2);
            if (color === "w") {
              parts[7 - part] += name.toUpperCase();
            } else {
              parts[7 - part] += name;
            }
          }
        }
        if (spaceCounter > 0) {
          parts[7 - part] += spaceCounter;
          spaceCounter = 0;
        }
      }
      return parts.join("/");
    }
    getPieces(pieceColor = void 0, pieceType = void 0, sortBy = ["k", "q", "r", "b", "n", "p"]) {
      const pieces = [];
      const sort = (a, b) => {
        return sortBy.indexOf(a.name) - sortBy.indexOf(b.name);
      };
      for (let i = 0; i < 64; i++) {
        const piece = this.squares[i];
        if (piece) {
          const type = piece.charAt(1);
          const color = piece.charAt(0);
          const square = _Position.indexToSquare(i);
          if (pieceType && pieceType !== type || pieceColor && pieceColor !== color) {
            continue;
          }
          pieces.push({
            name: type,
            // deprecated, use type
            type,
            color,
            position: square,
            // deprecated, use square
            square
          });
        }
      }
      if (sortBy) {
        pieces.sort(sort);
      }
      return pieces;
    }
    movePiece(squareFrom, squareTo) {
      if (!this.squares[_Position.squareToIndex(squareFrom)]) {
        console.warn("no piece on", squareFrom);
        return;
      }
      this.squares[_Position.squareToIndex(squareTo)] = this.squares[_Position.squareToIndex(squareFrom)];
      this.squares[_Position.squareToIndex(squareFrom)] = null;
    }
    setPiece(square, piece) {
      this.squares[_Position.squareToIndex(square)] = piece;
    }
    getPiece(square) {
      return this.squares[_Position.squareToIndex(square)];
    }
    static squareToIndex(square) {
      const coordinates = _Position.squareToCoordinates(square);
      return coordinates[0] + coordinates[1] * 8;
    }
    static indexToSquare(index) {
      return this.coordinatesToSquare([Math.floor(index % 8), index / 8]);
    }
    static squareToCoordinates(square) {
      const file2 = square.charCodeAt(0) - 97;
      const rank2 = square.charCodeAt(1) - 49;
      return [file2, rank2];
    }
    static coordinatesToSquare(coordinates) {
      const file2 = String.fromCharCode(coordinates[0] + 97);
      const rank2 = String.fromCharCode(coordinates[1] + 49);
      return file2 + rank2;
    }
    toString() {
      return this.getFen();
    }
    clone() {
      const cloned = Object.create(_Position.prototype);
      cloned.squares = this.squares.slice(0);
      return cloned;
    }
  };

  // node_modules/cm-chessboard/src/model/ChessboardState.js
  var ChessboardState = class {
    constructor() {
      this.position = new Position();
      this.orientation = void 0;
      this.inputWhiteEnabled = false;
      this.inputBlackEnabled = false;
      this.squareSelectEnabled = false;
      this.moveInputCallback = null;
      this.moveInputAnimate = void 0;
      this.extensionPoints = {};
      this.moveInputProcess = Promise.resolve();
    }
    inputEnabled() {
      return this.inputWhiteEnabled || this.inputBlackEnabled;
    }
    invokeExtensionPoints(name, data = {}) {
      const extensionPoints = this.extensionPoints[name];
      const dataCloned = Object.assign({}, data);
      dataCloned.extensionPoint = name;
      let returnValue = true;
      if (extensionPoints) {
        for (const extensionPoint of extensionPoints) {
          if (extensionPoint(dataCloned) === false) {
            returnValue = false;
          }
        }
      }
      return returnValue;
    }
  };

  // node_modules/cm-chessboard/src/lib/Svg.js
  var SVG_NAMESPACE = "http://www.w3.org/2000/svg";
  var Svg = class {
    /**
     * create the Svg in the HTML DOM
     * @param containerElement
     * @returns {Element}
     */
    static createSvg(containerElement = void 0) {
      let svg3 = document.createElementNS(SVG_NAMESPACE, "svg");
      if (containerElement) {
        svg3.setAttribute("width", "100%");
        svg3.setAttribute("height", "100%");
        containerElement.appendChild(svg3);
      }
      return svg3;
    }
    /**
     * Add an Element to an SVG DOM
     * @param parent
     * @param name
     * @param attributes
     * @returns {Element}
     */
    static addElement(parent, name, attributes = {}) {
      let element2 = document.createElementNS(SVG_NAMESPACE, name);
      if (name === "use") {
        attributes["xlink:href"] = attributes["href"];
      }
      for (let attribute in attributes) {
        if (attributes.hasOwnProperty(attribute)) {
          if (attribute.indexOf(":") !== -1) {
            const value = attribute.split(":");
            element2.setAttributeNS("http://www.w3.org/1999/" + value[0], value[1], attributes[attribute]);
          } else {
            element2.setAttribute(attribute, attributes[attribute]);
          }
        }
      }
      parent.appendChild(element2);
      return element2;
    }
    /**
     * Remove an element from an SVG DOM
     * @param element
     */
    static removeElement(element2) {
      if (!element2) {
        console.warn("removeElement, element is", element2);
        return;
      }
      if (element2.parentNode) {
        element2.parentNode.removeChild(element2);
      } else {
        console.warn(element2, "without parentNode");
      }
    }
  };

  // node_modules/cm-chessboard/src/model/Extension.js
  var EXTENSION_POINT = {
    positionChanged: "positionChanged",
    // the positions of the pieces was changed
    boardChanged: "boardChanged",
    // the board (orientation) was changed
    moveInputToggled: "moveInputToggled",
    // move input was enabled or disabled
    moveInput: "moveInput",
    // move started, moving over a square, validating or canceled
    beforeRedrawBoard: "beforeRedrawBoard",
    // called before redrawing the board
    afterRedrawBoard: "afterRedrawBoard",
    // called after redrawing the board
    redrawBoard: "redrawBoard",
    // called after redrawing the board, DEPRECATED, use afterRedrawBoard 2023-09-18
    animation: "animation",
    // called on animation start, end, and on every animation frame
    destroy: "destroy"
    // called, before the board is destroyed
  };
  var Extension = class {
    constructor(chessboard) {
      this.chessboard = chessboard;
    }
    registerExtensionPoint(name, callback) {
      if (name === EXTENSION_POINT.redrawBoard) {
        console.warn("EXTENSION_POINT.redrawBoard is deprecated, use EXTENSION_POINT.afterRedrawBoard");
        name = EXTENSION_POINT.afterRedrawBoard;
      }
      if (!this.chessboard.state.extensionPoints[name]) {
        this.chessboard.state.extensionPoints[name] = [];
      }
      this.chessboard.state.extensionPoints[name].push(callback);
    }
    /** @deprecated 2023-05-18 */
    registerMethod(name, callback) {
      console.warn("registerMethod is deprecated, just add methods directly to the chessboard instance");
      if (!this.chessboard[name]) {
        this.chessboard[name] = (...args) => {
          return callback.apply(this, args);
        };
      } else {
        log.error("method", name, "already exists");
      }
    }
  };

  // node_modules/cm-chessboard/src/lib/Utils.js
  var Utils = class _Utils {
    static delegate(element2, eventName, selector, handler) {
      const eventListener = function(event) {
        const match = event.target.closest(selector);
        if (match && this.contains(match)) {
          handler.call(match, event);
        }
      };
      element2.addEventListener(eventName, eventListener);
      return {
        remove: function() {
          element2.removeEventListener(eventName, eventListener);
        }
      };
    }
    static mergeObjects(target, source) {
      const isObject = (obj) => obj && typeof obj === "object";
      if (!isObject(target) || !isObject(source)) {
        return source;
      }
      for (const key of Object.keys(source)) {
        if (source[key] instanceof Object) {
          Object.assign(source[key], _Utils.mergeObjects(target[key], source[key]));
        }
      }
      Object.assign(target || {}, source);
      return target;
    }
    static createDomElement(html) {
      const template = document.createElement("template");
      template.innerHTML = html.trim();
      return template.content.firstChild;
    }
    static createTask() {
      let resolve, reject;
      const promise = new Promise(function(_resolve, _reject) {
        resolve = _resolve;
        reject = _reject;
      });
      promise.resolve = resolve;
      promise.reject = reject;
      return promise;
    }
    static isAbsoluteUrl(url) {
      return url.indexOf("://") !== -1 || url.startsWith("/");
    }
  };

  // node_modules/cm-chessboard/src/view/PositionAnimationsQueue.js
  var ANIMATION_EVENT_TYPE = {
    start: "start",
    frame: "frame",
    end: "end"
  };
  var PromiseQueue = class {
    constructor() {
      this.queue = [];
      this.workingOnPromise = false;
      this.stop = false;
    }
    async enqueue(promise) {
      return new Promise((resolve, reject) => {
        this.queue.push({
          promise,
          resolve,
          reject
        });
        this.dequeue();
      });
    }
    dequeue() {
      if (this.workingOnPromise) {
        return;
      }
      if (this.stop) {
        this.queue = [];
        this.stop = false;
        return;
      }
      const entry = this.queue.shift();
      if (!entry) {
        return;
      }
      try {
        this.workingOnPromise = true;
        entry.promise().then((value) => {
          this.workingOnPromise = false;
          entry.resolve(value);
          this.dequeue();
        }).catch((err) => {
          this.workingOnPromise = false;
          entry.reject(err);
          this.dequeue();
        });
      } catch (err) {
        this.workingOnPromise = false;
        entry.reject(err);
        this.dequeue();
      }
      return true;
    }
    destroy() {
      this.stop = true;
    }
  };
  var CHANGE_TYPE = {
    move: 0,
    appear: 1,
    disappear: 2
  };
  var PositionsAnimation = class _PositionsAnimation {
    constructor(view, fromPosition, toPosition, duration, callback) {
      this.view = view;
      if (fromPosition && toPosition) {
        this.animatedElements = this.createAnimation(fromPosition.squares, toPosition.squares);
        this.duration = duration;
        this.callback = callback;
        this.frameHandle = requestAnimationFrame(this.animationStep.bind(this));
      } else {
        console.error("fromPosition", fromPosition, "toPosition", toPosition);
      }
      this.view.positionsAnimationTask = Utils.createTask();
      this.view.chessboard.state.invokeExtensionPoints(EXTENSION_POINT.animation, {
        type: ANIMATION_EVENT_TYPE.start
      });
    }
    static seekChanges(fromSquares, toSquares) {
      const appearedList = [], disappearedList = [], changes2 = [];
      for (let i = 0; i < 64; i++) {
        const previousSquare = fromSquares[i];
        const newSquare = toSquares[i];
        if (newSquare !== previousSquare) {
          if (newSquare) {
            appearedList.push({ piece: newSquare, index: i });
          }
          if (previousSquare) {
            disappearedList.push({ piece: previousSquare, index: i });
          }
        }
      }
      appearedList.forEach((appeared) => {
        let shortestDistance = 8;
        let foundMoved = null;
        disappearedList.forEach((disappeared) => {
          if (appeared.piece === disappeared.piece) {
            const moveDistance = _PositionsAnimation.squareDistance(appeared.index, disappeared.index);
            if (moveDistance < shortestDistance) {
              foundMoved = disappeared;
              shortestDistance = moveDistance;
            }
          }
        });
        if (foundMoved) {
          disappearedList.splice(disappearedList.indexOf(foundMoved), 1);
          changes2.push({
            type: CHANGE_TYPE.move,
            piece: appeared.piece,
            atIndex: foundMoved.index,
            toIndex: appeared.index
          });
        } else {
          changes2.push({ type: CHANGE_TYPE.appear, piece: appeared.piece, atIndex: appeared.index });
        }
      });
      disappearedList.forEach((disappeared) => {
        changes2.push({ type: CHANGE_TYPE.disappear, piece: disappeared.piece, atIndex: disappeared.index });
      });
      return changes2;
    }
    createAnimation(fromSquares, toSquares) {
      const changes2 = _PositionsAnimation.seekChanges(fromSquares, toSquares);
      const animatedElements = [];
      changes2.forEach((change2) => {
        const animatedItem = {
          type: change2.type
        };
        switch (change2.type) {
          case CHANGE_TYPE.move:
            animatedItem.element = this.view.getPieceElement(Position.indexToSquare(change2.atIndex));
            animatedItem.element.parentNode.appendChild(animatedItem.element);
            animatedItem.atPoint = this.view.indexToPoint(change2.atIndex);
            animatedItem.toPoint = this.view.indexToPoint(change2.toIndex);
            break;
          case CHANGE_TYPE.appear:
            animatedItem.element = this.view.drawPieceOnSquare(Position.indexToSquare(change2.atIndex), change2.piece);
            animatedItem.element.style.opacity = 0;
            break;
          case CHANGE_TYPE.disappear:
            animatedItem.element = this.view.getPieceElement(Position.indexToSquare(change2.atIndex));
            break;
        }
        animatedElements.push(animatedItem);
      });
      return animatedElements;
    }
    animationStep(time) {
      if (!this.view || !this.view.chessboard.state) {
        return;
      }
      if (!this.startTime) {
        this.startTime = time;
      }
      const timeDiff = time - this.startTime;
      if (timeDiff <= this.duration) {
        this.frameHandle = requestAnimationFrame(this.animationStep.bind(this));
      } else {
        cancelAnimationFrame(this.frameHandle);
        this.animatedElements.forEach((animatedItem) => {
          if (animatedItem.type === CHANGE_TYPE.disappear) {
            Svg.removeElement(animatedItem.element);
          }
        });
        this.view.positionsAnimationTask.resolve();
        this.view.chessboard.state.invokeExtensionPoints(EXTENSION_POINT.animation, {
          type: ANIMATION_EVENT_TYPE.end
        });
        this.callback();
        return;
      }
      const t = Math.min(1, timeDiff / this.duration);
      let progress = t < 0.5 ? 2 * t * t : -1 + (4 - 2 * t) * t;
      if (isNaN(progress) || progress > 0.99) {
        progress = 1;
      }
      this.animatedElements.forEach((animatedItem) => {
        if (animatedItem.element) {
          switch (animatedItem.type) {
            case CHANGE_TYPE.move:
              animatedItem.element.transform.baseVal.removeItem(0);
              const transform = this.view.svg.createSVGTransform();
              transform.setTranslate(
                animatedItem.atPoint.x + (animatedItem.toPoint.x - animatedItem.atPoint.x) * progress,
                animatedItem.atPoint.y + (animatedItem.toPoint.y - animatedItem.atPoint.y) * progress
              );
              animatedItem.element.transform.baseVal.appendItem(transform);
              break;
            case CHANGE_TYPE.appear:
              animatedItem.element.style.opacity = Math.round(progress * 100) / 100;
              break;
            case CHANGE_TYPE.disappear:
              animatedItem.element.style.opacity = Math.round((1 - progress) * 100) / 100;
              break;
          }
        } else {
          console.warn("animatedItem has no element", animatedItem);
        }
      });
      this.view.chessboard.state.invokeExtensionPoints(EXTENSION_POINT.animation, {
        type: ANIMATION_EVENT_TYPE.frame,
        progress
      });
    }
    static squareDistance(index1, index2) {
      const file1 = index1 % 8;
      const rank1 = Math.floor(index1 / 8);
      const file2 = index2 % 8;
      const rank2 = Math.floor(index2 / 8);
      return Math.max(Math.abs(rank2 - rank1), Math.abs(file2 - file1));
    }
  };
  var PositionAnimationsQueue = class extends PromiseQueue {
    constructor(chessboard) {
      super();
      this.chessboard = chessboard;
    }
    async enqueuePositionChange(positionFrom, positionTo, animated) {
      if (positionFrom.getFen() === positionTo.getFen()) {
        return super.enqueue(() => Promise.resolve());
      } else {
        return super.enqueue(() => new Promise((resolve) => {
          let duration = animated ? this.chessboard.props.style.animationDuration : 0;
          if (this.queue.length > 0) {
            duration = duration / (1 + Math.pow(this.queue.length / 5, 2));
          }
          new PositionsAnimation(
            this.chessboard.view,
            positionFrom,
            positionTo,
            animated ? duration : 0,
            () => {
              if (this.chessboard.view) {
                this.chessboard.view.redrawPieces(positionTo.squares);
              }
              resolve();
            }
          );
        }));
      }
    }
    async enqueueTurnBoard(position, color, animated) {
      return super.enqueue(() => new Promise((resolve) => {
        const emptyPosition = new Position(FEN.empty);
        let duration = animated ? this.chessboard.props.style.animationDuration : 0;
        if (this.queue.length > 0) {
          duration = duration / (1 + Math.pow(this.queue.length / 5, 2));
        }
        new PositionsAnimation(
          this.chessboard.view,
          position,
          emptyPosition,
          animated ? duration : 0,
          () => {
            this.chessboard.state.orientation = color;
            this.chessboard.view.redrawBoard();
            this.chessboard.view.redrawPieces(emptyPosition.squares);
            new PositionsAnimation(
              this.chessboard.view,
              emptyPosition,
              position,
              animated ? duration : 0,
              () => {
                this.chessboard.view.redrawPieces(position.squares);
                resolve();
              }
            );
          }
        );
      }));
    }
  };

  // node_modules/cm-chessboard/src/view/VisualMoveInput.js
  var MOVE_INPUT_STATE = {
    waitForInputStart: "waitForInputStart",
    pieceClickedThreshold: "pieceClickedThreshold",
    clickTo: "clickTo",
    secondClickThreshold: "secondClickThreshold",
    dragTo: "dragTo",
    clickDragTo: "clickDragTo",
    moveDone: "moveDone",
    reset: "reset"
  };
  var MOVE_CANCELED_REASON = {
    secondClick: "secondClick",
    // clicked the same piece
    secondaryClick: "secondaryClick",
    // right click while moving
    movedOutOfBoard: "movedOutOfBoard",
    draggedBack: "draggedBack",
    // dragged to the start square
    clickedAnotherPiece: "clickedAnotherPiece",
    // of the same color
    touchCanceled: "touchCanceled",
    movedPieceChanged: "movedPieceChanged",
    // the held piece changed on the board, most likely got captured
    canceled: "canceled"
    // cancelled programmatically via chessboard.cancelMoveInput()
  };
  var DRAG_THRESHOLD = 4;
  var VisualMoveInput = class {
    constructor(view) {
      this.view = view;
      this.chessboard = view.chessboard;
      this.moveInputState = null;
      this.fromSquare = null;
      this.toSquare = null;
      this.movedPiece = null;
      this.setMoveInputState(MOVE_INPUT_STATE.waitForInputStart);
    }
    moveInputStartedCallback(square) {
      const result = this.view.moveInputStartedCallback(square);
      if (result) {
        this.chessboard.state.moveInputProcess = Utils.createTask();
        this.chessboard.state.moveInputProcess.then((result2) => {
          if (this.moveInputState === MOVE_INPUT_STATE.waitForInputStart || this.moveInputState === MOVE_INPUT_STATE.moveDone) {
            this.view.moveInputFinishedCallback(this.fromSquare, this.toSquare, result2);
          }
        });
      }
      return result;
    }
    movingOverSquareCallback(fromSquare, toSquare) {
      this.view.movingOverSquareCallback(fromSquare, toSquare);
    }
    validateMoveInputCallback(fromSquare, toSquare) {
      const result = this.view.validateMoveInputCallback(fromSquare, toSquare);
      this.chessboard.state.moveInputProcess.resolve(result);
      return result;
    }
    moveInputCanceledCallback(fromSquare, toSquare, reason) {
      this.view.moveInputCanceledCallback(fromSquare, toSquare, reason);
      this.chessboard.state.moveInputProcess.resolve();
    }
    setMoveInputState(newState, params = void 0) {
      const prevState = this.moveInputState;
      this.moveInputState = newState;
      switch (newState) {
        case MOVE_INPUT_STATE.waitForInputStart:
          break;
        case MOVE_INPUT_STATE.pieceClickedThreshold:
          if (MOVE_INPUT_STATE.waitForInputStart !== prevState && MOVE_INPUT_STATE.clickTo !== prevState) {
            throw new Error("moveInputState");
          }
          if (this.pointerMoveListener) {
            removeEventListener(this.pointerMoveListener.type, this.pointerMoveListener);
            this.pointerMoveListener = null;
          }
          if (this.pointerUpListener) {
            removeEventListener(this.pointerUpListener.type, this.pointerUpListener);
            this.pointerUpListener = null;
          }
          if (this.pointerCancelListener) {
            removeEventListener(this.pointerCancelListener.type, this.pointerCancelListener);
            this.pointerCancelListener = null;
          }
          this.fromSquare = params.square;
          this.toSquare = null;
          this.movedPiece = params.piece;
          this.startPoint = params.point;
          if (!this.pointerMoveListener && !this.pointerUpListener) {
            if (params.type === "mousedown") {
              this.pointerMoveListener = this.onPointerMove.bind(this);
              this.pointerMoveListener.type = "mousemove";
              addEventListener("mousemove", this.pointerMoveListener);
              this.pointerUpListener = this.onPointerUp.bind(this);
              this.pointerUpListener.type = "mouseup";
              addEventListener("mouseup", this.pointerUpListener);
            } else if (params.type === "touchstart") {
              this.pointerMoveListener = this.onPointerMove.bind(this);
              this.pointerMoveListener.type = "touchmove";
              addEventListener("touchmove", this.pointerMoveListener);
              this.pointerUpListener = this.onPointerUp.bind(this);
              this.pointerUpListener.type = "touchend";
              addEventListener("touchend", this.pointerUpListener);
              this.pointerCancelListener = this.onPointerCancel.bind(this);
              this.pointerCancelListener.type = "touchcancel";
              addEventListener("touchcancel", this.pointerCancelListener);
            } else {
              throw Error("4b74af");
            }
            if (!this.contextMenuListener) {
              this.contextMenuListener = this.onContextMenu.bind(this);
              this.chessboard.view.svg.addEventListener("contextmenu", this.contextMenuListener);
            }
          } else {
            throw Error("94ad0c");
          }
          break;
        case MOVE_INPUT_STATE.clickTo:
          if (this.draggablePiece) {
            Svg.removeElement(this.draggablePiece);
            this.draggablePiece = null;
          }
          if (prevState === MOVE_INPUT_STATE.dragTo) {
            this.view.setPieceVisibility(params.square, true);
          }
          break;
        case MOVE_INPUT_STATE.secondClickThreshold:
          if (MOVE_INPUT_STATE.clickTo !== prevState) {
            throw new Error("moveInputState");
          }
          this.startPoint = params.point;
          break;
        case MOVE_INPUT_STATE.dragTo:
          if (MOVE_INPUT_STATE.pieceClickedThreshold !== prevState) {
            throw new Error("moveInputState");
          }
          if (this.view.chessboard.state.inputEnabled()) {
            this.view.setPieceVisibility(params.square, false);
            this.createDraggablePiece(params.piece);
          }
          break;
        case MOVE_INPUT_STATE.clickDragTo:
          if (MOVE_INPUT_STATE.secondClickThreshold !== prevState) {
            throw new Error("moveInputState");
          }
          if (this.view.chessboard.state.inputEnabled()) {
            this.view.setPieceVisibility(params.square, false);
            this.createDraggablePiece(params.piece);
          }
          break;
        case MOVE_INPUT_STATE.moveDone:
          if ([MOVE_INPUT_STATE.dragTo, MOVE_INPUT_STATE.clickTo, MOVE_INPUT_STATE.clickDragTo].indexOf(prevState) === -1) {
            throw new Error("moveInputState");
          }
          this.toSquare = params.square;
          const validated = params.validated !== void 0 ? params.validated : this.validateMoveInputCallback(this.fromSquare, this.toSquare);
          if (this.toSquare && validated) {
            const animate = prevState === MOVE_INPUT_STATE.clickTo && this.chessboard.state.moveInputAnimate !== false;
            this.chessboard.movePiece(this.fromSquare, this.toSquare, animate).then(() => {
              if (prevState === MOVE_INPUT_STATE.clickTo) {
                this.view.setPieceVisibility(this.toSquare, true);
              }
              this.setMoveInputState(MOVE_INPUT_STATE.reset);
            });
          } else {
            this.view.setPieceVisibility(this.fromSquare, true);
            this.setMoveInputState(MOVE_INPUT_STATE.reset);
          }
          break;
        case MOVE_INPUT_STATE.reset:
          if (this.fromSquare && !this.toSquare && this.movedPiece) {
            this.chessboard.state.position.setPiece(this.fromSquare, this.movedPiece);
          }
          this.fromSquare = null;
          this.toSquare = null;
          this.movedPiece = null;
          if (this.draggablePiece) {
            Svg.removeElement(this.draggablePiece);
            this.draggablePiece = null;
          }
          if (this.pointerMoveListener) {
            removeEventListener(this.pointerMoveListener.type, this.pointerMoveListener);
            this.pointerMoveListener = null;
          }
          if (this.pointerUpListener) {
            removeEventListener(this.pointerUpListener.type, this.pointerUpListener);
            this.pointerUpListener = null;
          }
          if (this.pointerCancelListener) {
            removeEventListener(this.pointerCancelListener.type, this.pointerCancelListener);
            this.pointerCancelListener = null;
          }
          if (this.contextMenuListener) {
            this.chessboard.view.svg.removeEventListener("contextmenu", this.contextMenuListener);
            this.contextMenuListener = null;
          }
          this.setMoveInputState(MOVE_INPUT_STATE.waitForInputStart);
          const hiddenPieces = this.view.piecesGroup.querySelectorAll("[visibility=hidden]");
          for (let i = 0; i < hiddenPieces.length; i++) {
            hiddenPieces[i].removeAttribute("visibility");
          }
          break;
        default:
          throw Error(`260b09: moveInputState ${newState}`);
      }
    }
    createDraggablePiece(pieceName) {
      if (this.draggablePiece) {
        throw Error("draggablePiece already exists");
      }
      this.draggablePiece = Svg.createSvg(document.body);
      this.draggablePiece.classList.add("cm-chessboard-draggable-piece");
      this.draggablePiece.setAttribute("width", this.view.squareWidth);
      this.draggablePiece.setAttribute("height", this.view.squareHeight);
      this.draggablePiece.setAttribute("style", "pointer-events: none");
      this.draggablePiece.name = pieceName;
      const spriteUrl = this.chessboard.props.assetsCache ? "" : this.view.getSpriteUrl();
      const piece = Svg.addElement(this.draggablePiece, "use", {
        href: `${spriteUrl}#${pieceName}`
      });
      const scaling = this.view.squareHeight / this.chessboard.props.style.pieces.tileSize;
      const transformScale = this.draggablePiece.createSVGTransform();
      transformScale.setScale(scaling, scaling);
      piece.transform.baseVal.appendItem(transformScale);
    }
    moveDraggablePiece(x, y) {
      this.draggablePiece.setAttribute(
        "style",
        `pointer-events: none; position: absolute; left: ${x - this.view.squareHeight / 2}px; top: ${y - this.view.squareHeight / 2}px`
      );
    }
    onPointerDown(e) {
      if (!(e.type === "mousedown" && e.button === 0 || e.type === "touchstart")) {
        return;
      }
      const square = e.target.getAttribute("data-square");
      if (!square) {
        return;
      }
      const pieceName = this.chessboard.getPiece(square);
      let color;
      if (pieceName) {
        color = pieceName ? pieceName.substring(0, 1) : null;
        if (color === "w" && this.chessboard.state.inputWhiteEnabled || color === "b" && this.chessboard.state.inputBlackEnabled) {
          e.preventDefault();
        }
      }
      if (this.moveInputState !== MOVE_INPUT_STATE.waitForInputStart || this.chessboard.state.inputWhiteEnabled && color === "w" || this.chessboard.state.inputBlackEnabled && color === "b") {
        let point;
        if (e.type === "mousedown") {
          point = { x: e.clientX, y: e.clientY };
        } else if (e.type === "touchstart") {
          point = { x: e.touches[0].clientX, y: e.touches[0].clientY };
        }
        if (this.moveInputState === MOVE_INPUT_STATE.waitForInputStart && pieceName && this.moveInputStartedCallback(square)) {
          this.setMoveInputState(MOVE_INPUT_STATE.pieceClickedThreshold, {
            square,
            piece: pieceName,
            point,
            type: e.type
          });
        } else if (this.moveInputState === MOVE_INPUT_STATE.clickTo) {
          if (square === this.fromSquare) {
            this.setMoveInputState(MOVE_INPUT_STATE.secondClickThreshold, {
              square,
              piece: pieceName,
              point,
              type: e.type
            });
          } else {
            const pieceName2 = this.chessboard.getPiece(square);
            const pieceColor = pieceName2 ? pieceName2.substring(0, 1) : null;
            const startPieceName = this.chessboard.getPiece(this.fromSquare);
            const startPieceColor = startPieceName ? startPieceName.substring(0, 1) : null;
            if (color && startPieceColor === pieceColor) {
              const result = this.validateMoveInputCallback(this.fromSquare, square);
              if (!result) {
                this.moveInputCanceledCallback(this.fromSquare, square, MOVE_CANCELED_REASON.clickedAnotherPiece);
                if (this.moveInputStartedCallback(square)) {
                  this.setMoveInputState(MOVE_INPUT_STATE.pieceClickedThreshold, {
                    square,
                    piece: pieceName2,
                    point,
                    type: e.type
                  });
                } else {
                  this.setMoveInputState(MOVE_INPUT_STATE.reset);
                }
              } else {
                this.setMoveInputState(MOVE_INPUT_STATE.moveDone, { square, validated: true });
              }
            } else {
              this.setMoveInputState(MOVE_INPUT_STATE.moveDone, { square });
            }
          }
        }
      }
    }
    onPointerMove(e) {
      let pageX, pageY, clientX, clientY, target;
      if (e.type === "mousemove") {
        clientX = e.clientX;
        clientY = e.clientY;
        pageX = e.pageX;
        pageY = e.pageY;
        target = e.target;
      } else if (e.type === "touchmove") {
        clientX = e.touches[0].clientX;
        clientY = e.touches[0].clientY;
        pageX = e.touches[0].pageX;
        pageY = e.touches[0].pageY;
        target = document.elementFromPoint(clientX, clientY);
      }
      if (this.moveInputState === MOVE_INPUT_STATE.pieceClickedThreshold || this.moveInputState === MOVE_INPUT_STATE.secondClickThreshold) {
        if (Math.abs(this.startPoint.x - clientX) > DRAG_THRESHOLD || Math.abs(this.startPoint.y - clientY) > DRAG_THRESHOLD) {
          if (this.moveInputState === MOVE_INPUT_STATE.secondClickThreshold) {
            this.setMoveInputState(MOVE_INPUT_STATE.clickDragTo, {
              square: this.fromSquare,
              piece: this.movedPiece
            });
          } else {
            this.setMoveInputState(MOVE_INPUT_STATE.dragTo, { square: this.fromSquare, piece: this.movedPiece });
          }
          if (this.view.chessboard.state.inputEnabled()) {
            this.moveDraggablePiece(pageX, pageY);
          }
        }
      } else if (this.moveInputState === MOVE_INPUT_STATE.dragTo || this.moveInputState === MOVE_INPUT_STATE.clickDragTo || this.moveInputState === MOVE_INPUT_STATE.clickTo) {
        if (target && target.getAttribute && target.parentElement === this.view.boardGroup) {
          const square = target.getAttribute("data-square");
          if (square !== this.fromSquare && square !== this.toSquare) {
            this.toSquare = square;
            this.movingOverSquareCallback(this.fromSquare, this.toSquare);
          } else if (square === this.fromSquare && this.toSquare !== null) {
            this.toSquare = null;
            this.movingOverSquareCallback(this.fromSquare, null);
          }
        } else if (this.toSquare !== null) {
          this.toSquare = null;
          this.movingOverSquareCallback(this.fromSquare, null);
        }
        if (this.view.chessboard.state.inputEnabled() && (this.moveInputState === MOVE_INPUT_STATE.dragTo || this.moveInputState === MOVE_INPUT_STATE.clickDragTo)) {
          this.moveDraggablePiece(pageX, pageY);
        }
      }
    }
    onPointerUp(e) {
      let target;
      if (e.type === "mouseup") {
        target = e.target;
      } else if (e.type === "touchend") {
        target = document.elementFromPoint(e.changedTouches[0].clientX, e.changedTouches[0].clientY);
      }
      if (target && target.getAttribute) {
        const square = target.getAttribute("data-square");
        if (square) {
          if (this.moveInputState === MOVE_INPUT_STATE.dragTo || this.moveInputState === MOVE_INPUT_STATE.clickDragTo) {
            if (this.fromSquare === square) {
              this.chessboard.state.position.setPiece(this.fromSquare, this.movedPiece);
              this.view.setPieceVisibility(this.fromSquare);
              this.moveInputCanceledCallback(square, null, MOVE_CANCELED_REASON.draggedBack);
              this.setMoveInputState(MOVE_INPUT_STATE.reset);
            } else {
              this.setMoveInputState(MOVE_INPUT_STATE.moveDone, { square });
            }
          } else if (this.moveInputState === MOVE_INPUT_STATE.pieceClickedThreshold) {
            this.setMoveInputState(MOVE_INPUT_STATE.clickTo, { square });
          } else if (this.moveInputState === MOVE_INPUT_STATE.secondClickThreshold) {
            this.setMoveInputState(MOVE_INPUT_STATE.reset);
            this.moveInputCanceledCallback(square, null, MOVE_CANCELED_REASON.secondClick);
          }
        } else {
          this.view.redrawPieces();
          const moveStartSquare = this.fromSquare;
          this.setMoveInputState(MOVE_INPUT_STATE.reset);
          this.moveInputCanceledCallback(moveStartSquare, null, MOVE_CANCELED_REASON.movedOutOfBoard);
        }
      } else {
        this.view.redrawPieces();
        this.setMoveInputState(MOVE_INPUT_STATE.reset);
      }
    }
    onPointerCancel() {
      this.view.redrawPieces();
      const moveStartSquare = this.fromSquare;
      this.setMoveInputState(MOVE_INPUT_STATE.reset);
      this.moveInputCanceledCallback(moveStartSquare, null, MOVE_CANCELED_REASON.touchCanceled);
    }
    onContextMenu(e) {
      e.preventDefault();
      this.view.redrawPieces();
      this.setMoveInputState(MOVE_INPUT_STATE.reset);
      this.moveInputCanceledCallback(this.fromSquare, null, MOVE_CANCELED_REASON.secondaryClick);
    }
    // Cancel a move input that is currently in progress. No-op when idle.
    cancelMoveInput() {
      if (this.moveInputState !== MOVE_INPUT_STATE.waitForInputStart) {
        const moveStartSquare = this.fromSquare;
        this.view.redrawPieces();
        this.setMoveInputState(MOVE_INPUT_STATE.reset);
        this.moveInputCanceledCallback(moveStartSquare, null, MOVE_CANCELED_REASON.canceled);
      }
    }
    // Called after the board position changed (setPosition/movePiece/setPiece).
    // If the piece we are holding changed on its square — most likely captured
    // by an external position update — cancel the in-progress move input.
    positionChanged() {
      const holdingStates = [
        MOVE_INPUT_STATE.pieceClickedThreshold,
        MOVE_INPUT_STATE.clickTo,
        MOVE_INPUT_STATE.secondClickThreshold,
        MOVE_INPUT_STATE.dragTo,
        MOVE_INPUT_STATE.clickDragTo
      ];
      if (this.fromSquare && holdingStates.includes(this.moveInputState) && this.chessboard.getPiece(this.fromSquare) !== this.movedPiece) {
        const moveStartSquare = this.fromSquare;
        this.movedPiece = null;
        this.setMoveInputState(MOVE_INPUT_STATE.reset);
        this.moveInputCanceledCallback(moveStartSquare, null, MOVE_CANCELED_REASON.movedPieceChanged);
      }
    }
    isDragging() {
      return this.moveInputState === MOVE_INPUT_STATE.dragTo || this.moveInputState === MOVE_INPUT_STATE.clickDragTo;
    }
    destroy() {
      this.setMoveInputState(MOVE_INPUT_STATE.reset);
    }
  };

  // node_modules/cm-chessboard/src/view/ChessboardView.js
  var COLOR = {
    white: "w",
    black: "b"
  };
  var INPUT_EVENT_TYPE = {
    moveInputStarted: "moveInputStarted",
    movingOverSquare: "movingOverSquare",
    // while dragging or hover after click
    validateMoveInput: "validateMoveInput",
    moveInputCanceled: "moveInputCanceled",
    moveInputFinished: "moveInputFinished"
  };
  var POINTER_EVENTS = {
    pointercancel: "pointercancel",
    pointerdown: "pointerdown",
    pointerenter: "pointerenter",
    pointerleave: "pointerleave",
    pointermove: "pointermove",
    pointerout: "pointerout",
    pointerover: "pointerover",
    pointerup: "pointerup"
  };
  var BORDER_TYPE = {
    none: "none",
    // no border
    thin: "thin",
    // thin border
    frame: "frame"
    // wide border with coordinates in it
  };
  var ChessboardView = class {
    constructor(chessboard) {
      this.chessboard = chessboard;
      this.visualMoveInput = new VisualMoveInput(this);
      if (chessboard.props.assetsCache) {
        this.cacheSpriteToDiv("cm-chessboard-sprite", this.getSpriteUrl());
      }
      this.container = document.createElement("div");
      this.chessboard.context.appendChild(this.container);
      if (chessboard.props.responsive) {
        if (typeof ResizeObserver !== "undefined") {
          this.resizeObserver = new ResizeObserver(() => {
            this.resizeTimeout = setTimeout(() => {
              this.resizeTimeout = null;
              this.handleResize();
            });
          });
          this.resizeObserver.observe(this.chessboard.context);
        } else {
          this.resizeListener = this.handleResize.bind(this);
          window.addEventListener("resize", this.resizeListener);
        }
      }
      this.positionsAnimationTask = Promise.resolve();
      this.pointerDownListener = this.pointerDownHandler.bind(this);
      this.container.addEventListener("mousedown", this.pointerDownListener);
      this.container.addEventListener("touchstart", this.pointerDownListener, { passive: false });
      this.contextMenuListener = (e) => e.preventDefault();
      this.container.addEventListener("contextmenu", this.contextMenuListener);
      this.createSvgAndGroups();
      this.handleResize();
    }
    pointerDownHandler(e) {
      this.visualMoveInput.onPointerDown(e);
    }
    destroy() {
      this.visualMoveInput.destroy();
      if (this.resizeObserver) {
        this.resizeObserver.unobserve(this.chessboard.context);
      }
      if (this.resizeTimeout) {
        clearTimeout(this.resizeTimeout);
        this.resizeTimeout = null;
      }
      if (this.resizeListener) {
        window.removeEventListener("resize", this.resizeListener);
      }
      this.container.removeEventListener("mousedown", this.pointerDownListener);
      this.container.removeEventListener("touchstart", this.pointerDownListener);
      this.container.removeEventListener("contextmenu", this.contextMenuListener);
      Svg.removeElement(this.svg);
      this.container.remove();
    }
    // Sprite //
    cacheSpriteToDiv(wrapperId, url) {
      if (!document.getElementById(wrapperId)) {
        const wrapper = document.createElement("div");
        wrapper.style.transform = "scale(0)";
        wrapper.style.position = "absolute";
        wrapper.setAttribute("aria-hidden", "true");
        wrapper.id = wrapperId;
        document.body.appendChild(wrapper);
        const xhr = new XMLHttpRequest();
        xhr.open("GET", url, true);
        xhr.onload = function() {
          wrapper.insertAdjacentHTML("afterbegin", xhr.response);
        };
        xhr.send();
      }
    }
    createSvgAndGroups() {
      this.svg = Svg.createSvg(this.container);
      let cssClass = this.chessboard.props.style.cssClass ? this.chessboard.props.style.cssClass : "default";
      this.svg.setAttribute("class", "cm-chessboard border-type-" + this.chessboard.props.style.borderType + " " + cssClass);
      this.svg.setAttribute("role", "img");
      this.updateMetrics();
      this.boardGroup = Svg.addElement(this.svg, "g", { class: "board" });
      this.coordinatesGroup = Svg.addElement(this.svg, "g", { class: "coordinates", "aria-hidden": "true" });
      this.markersLayer = Svg.addElement(this.svg, "g", { class: "markers-layer" });
      this.piecesLayer = Svg.addElement(this.svg, "g", { class: "pieces-layer" });
      this.piecesGroup = Svg.addElement(this.piecesLayer, "g", { class: "pieces" });
      this.markersTopLayer = Svg.addElement(this.svg, "g", { class: "markers-top-layer" });
      this.interactiveTopLayer = Svg.addElement(this.svg, "g", { class: "interactive-top-layer" });
    }
    updateMetrics() {
      const piecesTileSize = this.chessboard.props.style.pieces.tileSize;
      this.width = this.container.clientWidth;
      this.height = this.container.clientWidth * (this.chessboard.props.style.aspectRatio || 1);
      if (this.chessboard.props.style.borderType === BORDER_TYPE.frame) {
        this.borderSize = this.width / 25;
      } else if (this.chessboard.props.style.borderType === BORDER_TYPE.thin) {
        this.borderSize = this.width / 320;
      } else {
        this.borderSize = 0;
      }
      this.innerWidth = this.width - 2 * this.borderSize;
      this.innerHeight = this.height - 2 * this.borderSize;
      this.squareWidth = this.innerWidth / 8;
      this.squareHeight = this.innerHeight / 8;
      this.scalingX = this.squareWidth / piecesTileSize;
      this.scalingY = this.squareHeight / piecesTileSize;
      this.pieceXTranslate = this.squareWidth / 2 - piecesTileSize * this.scalingY / 2;
    }
    handleResize() {
      if (!this.chessboard || !this.chessboard.state) {
        return;
      }
      this.container.style.width = this.chessboard.context.clientWidth + "px";
      this.container.style.height = this.chessboard.context.clientWidth * this.chessboard.props.style.aspectRatio + "px";
      if (this.container.clientWidth !== this.width || this.container.clientHeight !== this.height) {
        this.updateMetrics();
        this.redrawBoard();
        this.redrawPieces();
      }
      this.svg.setAttribute("width", "100%");
      this.svg.setAttribute("height", "100%");
    }
    redrawBoard() {
      this.chessboard.state.invokeExtensionPoints(EXTENSION_POINT.beforeRedrawBoard);
      this.redrawSquares();
      this.drawCoordinates();
      this.chessboard.state.invokeExtensionPoints(EXTENSION_POINT.afterRedrawBoard);
      this.visualizeInputState();
    }
    // Board //
    redrawSquares() {
      while (this.boardGroup.firstChild) {
        this.boardGroup.removeChild(this.boardGroup.lastChild);
      }
      let boardBorder = Svg.addElement(this.boardGroup, "rect", { width: this.width, height: this.height });
      boardBorder.setAttribute("class", "border");
      if (this.chessboard.props.style.borderType === BORDER_TYPE.frame) {
        const innerPos = this.borderSize;
        let borderInner = Svg.addElement(this.boardGroup, "rect", {
          x: innerPos,
          y: innerPos,
          width: this.width - innerPos * 2,
          height: this.height - innerPos * 2
        });
        borderInner.setAttribute("class", "border-inner");
      }
      for (let i = 0; i < 64; i++) {
        const index = this.chessboard.state.orientation === COLOR.white ? i : 63 - i;
        const squareColor = (9 * index & 8) === 0 ? "black" : "white";
        const fieldClass = `square ${squareColor}`;
        const point = this.squareToPoint(Position.indexToSquare(index));
        const squareRect = Svg.addElement(this.boardGroup, "rect", {
          x: point.x,
          y: point.y,
          width: this.squareWidth,
          height: this.squareHeight
        });
        squareRect.setAttribute("class", fieldClass);
        squareRect.setAttribute("data-square", Position.indexToSquare(index));
      }
    }
    drawCoordinates() {
      if (!this.chessboard.props.style.showCoordinates) {
        return;
      }
      while (this.coordinatesGroup.firstChild) {
        this.coordinatesGroup.removeChild(this.coordinatesGroup.lastChild);
      }
      const inline = this.chessboard.props.style.borderType !== BORDER_TYPE.frame;
      for (let file2 = 0; file2 < 8; file2++) {
        let x = this.borderSize + (17 + this.chessboard.props.style.pieces.tileSize * file2) * this.scalingX;
        let y = this.height - this.scalingY * 3.5;
        let cssClass = "coordinate file";
        if (inline) {
          x = x + this.scalingX * 15.5;
          cssClass += file2 % 2 ? " white" : " black";
        }
        const textElement = Svg.addElement(this.coordinatesGroup, "text", {
          class: cssClass,
          x,
          y,
          style: `font-size: ${this.scalingY * 10}px`
        });
        if (this.chessboard.state.orientation === COLOR.white) {
          textElement.textContent = String.fromCharCode(97 + file2);
        } else {
          textElement.textContent = String.fromCharCode(104 - file2);
        }
      }
      for (let rank2 = 0; rank2 < 8; rank2++) {
        let x = this.borderSize / 3.7;
        let y = this.borderSize + 25 * this.scalingY + rank2 * this.squareHeight;
        let cssClass = "coordinate rank";
        if (inline) {
          cssClass += rank2 % 2 ? " black" : " white";
          if (this.chessboard.props.style.borderType === BORDER_TYPE.frame) {
            x = x + this.scalingX * 10;
            y = y - this.scalingY * 15;
          } else {
            x = x + this.scalingX * 2;
            y = y - this.scalingY * 15;
          }
        }
        const textElement = Svg.addElement(this.coordinatesGroup, "text", {
          class: cssClass,
          x,
          y,
          style: `font-size: ${this.scalingY * 10}px`
        });
        if (this.chessboard.state.orientation === COLOR.white) {
          textElement.textContent = "" + (8 - rank2);
        } else {
          textElement.textContent = "" + (1 + rank2);
        }
      }
    }
    // Pieces //
    redrawPieces(squares = this.chessboard.state.position.squares) {
      const childNodes = Array.from(this.piecesGroup.childNodes);
      const isDragging = this.visualMoveInput.isDragging();
      for (let i = 0; i < 64; i++) {
        const pieceName = squares[i];
        if (pieceName) {
          const square = Position.indexToSquare(i);
          this.drawPieceOnSquare(square, pieceName, isDragging && square === this.visualMoveInput.fromSquare);
        }
      }
      for (const childNode of childNodes) {
        this.piecesGroup.removeChild(childNode);
      }
    }
    drawPiece(parentGroup, pieceName, point) {
      const pieceGroup = Svg.addElement(parentGroup, "g", {});
      pieceGroup.setAttribute("data-piece", pieceName);
      const transform = this.svg.createSVGTransform();
      transform.setTranslate(point.x, point.y);
      pieceGroup.transform.baseVal.appendItem(transform);
      const spriteUrl = this.chessboard.props.assetsCache ? "" : this.getSpriteUrl();
      const pieceUse = Svg.addElement(pieceGroup, "use", {
        href: `${spriteUrl}#${pieceName}`,
        class: "piece"
      });
      const transformScale = this.svg.createSVGTransform();
      transformScale.setScale(this.scalingY, this.scalingY);
      pieceUse.transform.baseVal.appendItem(transformScale);
      return pieceGroup;
    }
    drawPieceOnSquare(square, pieceName, hidden = false) {
      const pieceGroup = Svg.addElement(this.piecesGroup, "g", {});
      pieceGroup.setAttribute("data-piece", pieceName);
      pieceGroup.setAttribute("data-square", square);
      if (hidden) {
        pieceGroup.setAttribute("visibility", "hidden");
      }
      const point = this.squareToPoint(square);
      const transform = this.svg.createSVGTransform();
      transform.setTranslate(point.x, point.y);
      pieceGroup.transform.baseVal.appendItem(transform);
      const spriteUrl = this.chessboard.props.assetsCache ? "" : this.getSpriteUrl();
      const pieceUse = Svg.addElement(pieceGroup, "use", {
        href: `${spriteUrl}#${pieceName}`,
        class: "piece"
      });
      const transformTranslate = this.svg.createSVGTransform();
      transformTranslate.setTranslate(this.pieceXTranslate, 0);
      pieceUse.transform.baseVal.appendItem(transformTranslate);
      const transformScale = this.svg.createSVGTransform();
      transformScale.setScale(this.scalingY, this.scalingY);
      pieceUse.transform.baseVal.appendItem(transformScale);
      return pieceGroup;
    }
    setPieceVisibility(square, visible = true) {
      const piece = this.getPieceElement(square);
      if (piece) {
        if (visible) {
          piece.setAttribute("visibility", "visible");
        } else {
          piece.setAttribute("visibility", "hidden");
        }
      } else {
        console.warn("no piece on", square);
      }
    }
    getPieceElement(square) {
      if (!square || square.length < 2) {
        console.warn("invalid square", square);
        return null;
      }
      const piece = this.piecesGroup.querySelector(`g[data-square='${square}']`);
      if (!piece) {
        console.warn("no piece on", square);
        return null;
      }
      return piece;
    }
    // enable and disable move input //
    enableMoveInput(eventHandler, color = null) {
      if (this.chessboard.state.moveInputCallback) {
        throw Error("moveInput already enabled");
      }
      if (color === COLOR.white) {
        this.chessboard.state.inputWhiteEnabled = true;
      } else if (color === COLOR.black) {
        this.chessboard.state.inputBlackEnabled = true;
      } else {
        this.chessboard.state.inputWhiteEnabled = true;
        this.chessboard.state.inputBlackEnabled = true;
      }
      this.chessboard.state.moveInputCallback = eventHandler;
      this.chessboard.state.invokeExtensionPoints(EXTENSION_POINT.moveInputToggled, { enabled: true, color });
      this.visualizeInputState();
    }
    disableMoveInput() {
      this.chessboard.state.inputWhiteEnabled = false;
      this.chessboard.state.inputBlackEnabled = false;
      this.chessboard.state.moveInputCallback = null;
      this.chessboard.state.invokeExtensionPoints(EXTENSION_POINT.moveInputToggled, { enabled: false });
      this.visualizeInputState();
    }
    // callbacks //
    moveInputStartedCallback(square) {
      const data = {
        chessboard: this.chessboard,
        type: INPUT_EVENT_TYPE.moveInputStarted,
        square,
        /** square is deprecated, use squareFrom (2023-05-22) */
        squareFrom: square,
        piece: this.chessboard.getPiece(square)
      };
      if (this.chessboard.state.moveInputCallback) {
        data.moveInputCallbackResult = this.chessboard.state.moveInputCallback(data);
      }
      this.chessboard.state.invokeExtensionPoints(EXTENSION_POINT.moveInput, data);
      return data.moveInputCallbackResult;
    }
    movingOverSquareCallback(squareFrom, squareTo) {
      const data = {
        chessboard: this.chessboard,
        type: INPUT_EVENT_TYPE.movingOverSquare,
        squareFrom,
        squareTo,
        piece: this.chessboard.getPiece(squareFrom)
      };
      if (this.chessboard.state.moveInputCallback) {
        data.moveInputCallbackResult = this.chessboard.state.moveInputCallback(data);
      }
      this.chessboard.state.invokeExtensionPoints(EXTENSION_POINT.moveInput, data);
    }
    validateMoveInputCallback(squareFrom, squareTo) {
      const data = {
        chessboard: this.chessboard,
        type: INPUT_EVENT_TYPE.validateMoveInput,
        squareFrom,
        squareTo,
        piece: this.chessboard.getPiece(squareFrom)
      };
      if (this.chessboard.state.moveInputCallback) {
        data.moveInputCallbackResult = this.chessboard.state.moveInputCallback(data);
      }
      this.chessboard.state.moveInputAnimate = data.animate;
      this.chessboard.state.invokeExtensionPoints(EXTENSION_POINT.moveInput, data);
      return data.moveInputCallbackResult;
    }
    moveInputCanceledCallback(squareFrom, squareTo, reason) {
      const data = {
        chessboard: this.chessboard,
        type: INPUT_EVENT_TYPE.moveInputCanceled,
        reason,
        squareFrom,
        squareTo
      };
      if (this.chessboard.state.moveInputCallback) {
        this.chessboard.state.moveInputCallback(data);
      }
      this.chessboard.state.invokeExtensionPoints(EXTENSION_POINT.moveInput, data);
    }
    moveInputFinishedCallback(squareFrom, squareTo, legalMove) {
      const data = {
        chessboard: this.chessboard,
        type: INPUT_EVENT_TYPE.moveInputFinished,
        squareFrom,
        squareTo,
        legalMove
      };
      if (this.chessboard.state.moveInputCallback) {
        this.chessboard.state.moveInputCallback(data);
      }
      this.chessboard.state.invokeExtensionPoints(EXTENSION_POINT.moveInput, data);
    }
    // Helpers //
    visualizeInputState() {
      if (this.chessboard.state) {
        if (this.chessboard.state.inputWhiteEnabled || this.chessboard.state.inputBlackEnabled) {
          this.boardGroup.setAttribute("class", "board input-enabled");
        } else {
          this.boardGroup.setAttribute("class", "board");
        }
      }
    }
    indexToPoint(index) {
      let x, y;
      if (this.chessboard.state.orientation === COLOR.white) {
        x = this.borderSize + index % 8 * this.squareWidth;
        y = this.borderSize + (7 - Math.floor(index / 8)) * this.squareHeight;
      } else {
        x = this.borderSize + (7 - index % 8) * this.squareWidth;
        y = this.borderSize + Math.floor(index / 8) * this.squareHeight;
      }
      return { x, y };
    }
    squareToPoint(square) {
      const index = Position.squareToIndex(square);
      return this.indexToPoint(index);
    }
    getSpriteUrl() {
      if (Utils.isAbsoluteUrl(this.chessboard.props.style.pieces.file)) {
        return this.chessboard.props.style.pieces.file;
      } else {
        return this.chessboard.props.assetsUrl + this.chessboard.props.style.pieces.file;
      }
    }
  };

  // node_modules/cm-chessboard/src/Chessboard.js
  var PIECES_FILE_TYPE = {
    svgSprite: "svgSprite"
  };
  var Chessboard = class {
    constructor(context, props = {}) {
      if (!context) {
        throw new Error("container element is " + context);
      }
      this.context = context;
      this.id = (Math.random() + 1).toString(36).substring(2, 8);
      this.extensions = [];
      this.props = {
        position: FEN.empty,
        // set position as fen, use FEN.start or FEN.empty as shortcuts
        orientation: COLOR.white,
        // white on bottom
        responsive: true,
        // resize the board automatically to the size of the context element
        assetsUrl: "./assets/",
        // put all css and sprites in this folder, will be ignored for absolute urls of assets files
        assetsCache: true,
        // cache the sprites, deactivate if you want to use multiple pieces sets in one page
        style: {
          cssClass: "default",
          // set the css theme of the board, try "green", "blue" or "chess-club"
          showCoordinates: true,
          // show ranks and files
          borderType: BORDER_TYPE.none,
          // "thin" thin border, "frame" wide border with coordinates in it, "none" no border
          aspectRatio: 1,
          // height/width of the board
          pieces: {
            type: PIECES_FILE_TYPE.svgSprite,
            // pieces are in an SVG sprite, no other type supported for now
            file: "pieces/standard.svg",
            // the filename of the sprite in `assets/pieces/` or an absolute url like `https://…` or `/…`
            tileSize: 40
            // the tile size in the sprite
          },
          animationDuration: 300
          // pieces animation duration in milliseconds. Disable all animations with `0`
        },
        extensions: [
          /* {class: ExtensionClass, props: { ... }} */
        ]
        // add extensions here
      };
      Utils.mergeObjects(this.props, props);
      this.state = new ChessboardState();
      this.view = new ChessboardView(this);
      this.positionAnimationsQueue = new PositionAnimationsQueue(this);
      this.state.orientation = this.props.orientation;
      for (const extensionData of this.props.extensions) {
        this.addExtension(extensionData.class, extensionData.props);
      }
      this.view.redrawBoard();
      this.state.position = new Position(this.props.position);
      this.view.redrawPieces();
      this.state.invokeExtensionPoints(EXTENSION_POINT.positionChanged);
      this.initialized = Promise.resolve();
    }
    // API //
    async setPiece(square, piece, animated = false) {
      const positionFrom = this.state.position.clone();
      this.state.position.setPiece(square, piece);
      this.view.visualMoveInput.positionChanged();
      this.state.invokeExtensionPoints(EXTENSION_POINT.positionChanged);
      return this.positionAnimationsQueue.enqueuePositionChange(positionFrom, this.state.position.clone(), animated);
    }
    async movePiece(squareFrom, squareTo, animated = false) {
      const positionFrom = this.state.position.clone();
      this.state.position.movePiece(squareFrom, squareTo);
      this.view.visualMoveInput.positionChanged();
      this.state.invokeExtensionPoints(EXTENSION_POINT.positionChanged);
      return this.positionAnimationsQueue.enqueuePositionChange(positionFrom, this.state.position.clone(), animated);
    }
    async setPosition(fen2, animated = false) {
      const positionFrom = this.state.position.clone();
      const positionTo = new Position(fen2);
      if (positionFrom.getFen() !== positionTo.getFen()) {
        this.state.position.setFen(fen2);
        this.view.visualMoveInput.positionChanged();
        this.state.invokeExtensionPoints(EXTENSION_POINT.positionChanged);
      }
      return this.positionAnimationsQueue.enqueuePositionChange(positionFrom, this.state.position.clone(), animated);
    }
    async setOrientation(color, animated = false) {
      const position = this.state.position.clone();
      if (this.boardTurning) {
        console.warn("setOrientation is only once in queue allowed");
        return;
      }
      this.boardTurning = true;
      return this.positionAnimationsQueue.enqueueTurnBoard(position, color, animated).then(() => {
        this.boardTurning = false;
        this.state.invokeExtensionPoints(EXTENSION_POINT.boardChanged);
      });
    }
    getPiece(square) {
      return this.state.position.getPiece(square);
    }
    getPosition() {
      return this.state.position.getFen();
    }
    getOrientation() {
      return this.state.orientation;
    }
    enableMoveInput(eventHandler, color = void 0) {
      this.view.enableMoveInput(eventHandler, color);
    }
    disableMoveInput() {
      this.view.disableMoveInput();
    }
    // Cancel a move input that is currently in progress (leaves move input enabled).
    cancelMoveInput() {
      this.view.visualMoveInput.cancelMoveInput();
    }
    isMoveInputEnabled() {
      return this.state.inputWhiteEnabled || this.state.inputBlackEnabled;
    }
    enableSquareSelect(eventType = POINTER_EVENTS.pointerdown, eventHandler) {
      if (!this.squareSelectListener) {
        this.squareSelectListener = function(e) {
          const square = e.target.getAttribute("data-square");
          eventHandler({
            eventType: e.type,
            event: e,
            chessboard: this,
            square
          });
        };
      }
      this.context.addEventListener(eventType, this.squareSelectListener);
      this.state.squareSelectEnabled = true;
      this.view.visualizeInputState();
    }
    disableSquareSelect(eventType) {
      this.context.removeEventListener(eventType, this.squareSelectListener);
      this.squareSelectListener = void 0;
      this.state.squareSelectEnabled = false;
      this.view.visualizeInputState();
    }
    isSquareSelectEnabled() {
      return this.state.squareSelectEnabled;
    }
    addExtension(extensionClass, props) {
      if (this.getExtension(extensionClass)) {
        throw Error('extension "' + extensionClass.name + '" already added');
      }
      this.extensions.push(new extensionClass(this, props));
    }
    getExtension(extensionClass) {
      for (const extension of this.extensions) {
        if (extension instanceof extensionClass) {
          return extension;
        }
      }
      return null;
    }
    destroy() {
      this.state.invokeExtensionPoints(EXTENSION_POINT.destroy);
      this.positionAnimationsQueue.destroy();
      this.view.destroy();
      this.view = void 0;
      this.state = void 0;
    }
  };

  // src/answers.js
  var get = (path) => globalThis.cltbSite?.(path) ?? fetch(path);

  // src/cursor.js
  var steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  function squareCursor(board2, spoken, { isFlipped, describe: describe2, press, remove, mark }) {
    let square = "e1";
    const say = () => {
      spoken.textContent = `${square}: ${describe2(square)}`;
    };
    const see = (seen) => {
      board2.classList.toggle("keys", seen);
      mark(seen ? square : null);
    };
    const move = ([file2, rank2]) => {
      const way = isFlipped() ? -1 : 1;
      const inside = (n) => Math.max(0, Math.min(7, n));
      square = "abcdefgh"[inside("abcdefgh".indexOf(square[0]) + file2 * way)] + (inside(Number(square[1]) - 1 + rank2 * way) + 1);
      see(true);
      say();
    };
    const keys2 = {
      Enter: () => press(square),
      " ": () => press(square),
      Escape: () => press(null),
      Delete: () => remove(square),
      Backspace: () => remove(square)
    };
    board2.tabIndex = 0;
    board2.addEventListener("focus", () => {
      see(board2.matches(":focus-visible"));
      say();
    });
    board2.addEventListener("blur", () => see(false));
    board2.addEventListener("pointerdown", () => see(false));
    board2.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey)
        return;
      const act = Object.hasOwn(steps, event.key) ? () => move(steps[event.key]) : Object.hasOwn(keys2, event.key) ? keys2[event.key] : null;
      if (act === null)
        return;
      event.preventDefault();
      event.stopPropagation();
      see(true);
      act();
    });
  }

  // src/outcomes.js
  var outcomes = {
    "win": { name: "wins", side: "wins", title: "Wins", tone: "win" },
    "cursed-win": {
      name: "cursed wins",
      side: "wins too late for the 50-move rule",
      title: "Wins too late for the 50-move rule",
      tone: "cursed",
      term: "cursed"
    },
    "draw": { name: "draws", side: "draws", title: "Draws", tone: "draw" },
    "blessed-loss": {
      name: "blessed losses",
      side: "is saved by the 50-move rule",
      title: "Losses saved by the 50-move rule",
      tone: "blessed",
      term: "cursed"
    },
    "loss": { name: "losses", side: "loses", title: "Losses", tone: "loss" }
  };
  var unknown = { title: "Unknown", tone: "draw" };
  var rounded = { "syzygy-win": "win", "maybe-win": "win", "syzygy-loss": "loss", "maybe-loss": "loss" };
  var keys = Object.keys(outcomes);
  var outcome = (key) => outcomes[rounded[key] ?? key] ?? unknown;
  var isWin = (key) => key.endsWith("win");
  var turned = (key) => keys[keys.length - 1 - keys.indexOf(rounded[key] ?? key)] ?? "unknown";

  // src/setup.js
  var files = "abcdefgh";
  function readBoard(fen2) {
    const board2 = /* @__PURE__ */ new Map();
    fen2.split(" ")[0].split("/").forEach((row, i) => {
      let file2 = 0;
      for (const c of row) {
        if (c >= "1" && c <= "8")
          file2 += Number(c);
        else
          board2.set(files[file2++] + (8 - i), (c < "a" ? "w" : "b") + c.toLowerCase());
      }
    });
    return board2;
  }
  var isBoard = (fen2) => /^([1-8pnbrqk]+\/){7}[1-8pnbrqk]+( |$)/i.test(fen2);
  function fault(fen2) {
    if (!isBoard(fen2))
      return "A FEN has eight rows of pieces and numbers, with '/' between them.";
    const kings = [...readBoard(fen2).values()].filter((piece) => piece[1] === "k").sort().join();
    return kings === "bk,wk" ? null : "Each side needs a king.";
  }
  function writeFen(board2, side2) {
    const rows = [];
    for (let rank2 = 8; rank2 >= 1; rank2--) {
      let row = "";
      for (const file2 of files) {
        const piece = board2.get(file2 + rank2);
        row += piece === void 0 ? "1" : piece[0] === "w" ? piece[1].toUpperCase() : piece[1];
      }
      rows.push(row.replace(/1+/g, (ones) => ones.length));
    }
    return `${rows.join("/")} ${side2} - - 0 1`;
  }
  function place(board2, square, piece) {
    const result = new Map(board2);
    if (piece === null) {
      result.delete(square);
      return result;
    }
    if (piece[1] === "k")
      result.forEach((other, at2) => {
        if (other === piece) result.delete(at2);
      });
    return result.set(square, piece);
  }
  function moved(board2, file2, rank2) {
    const result = /* @__PURE__ */ new Map();
    board2.forEach((piece, square) => {
      result.set(files[file2(files.indexOf(square[0])) & 7] + ((rank2(Number(square[1]) - 1) & 7) + 1), piece);
    });
    return result;
  }
  var same = (i) => i;
  var changes = {
    clear: () => /* @__PURE__ */ new Map(),
    colours: (board2) => new Map([...board2].map(([square, piece]) => [square, (piece[0] === "w" ? "b" : "w") + piece[1]])),
    files: (board2) => moved(board2, (i) => 7 - i, same),
    ranks: (board2) => moved(board2, same, (i) => 7 - i),
    left: (board2) => moved(board2, (i) => i - 1, same),
    right: (board2) => moved(board2, (i) => i + 1, same),
    up: (board2) => moved(board2, same, (i) => i + 1),
    down: (board2) => moved(board2, same, (i) => i - 1)
  };

  // src/material.js
  var order = "kqrbnp";
  var letters = (men) => [...order].flatMap((piece) => Array(men[piece] ?? 0).fill(piece.toUpperCase())).join("");
  function stronger(a, b) {
    if (a.length !== b.length)
      return a.length > b.length;
    for (let i = 0; i < a.length; i++) {
      if (a[i] !== b[i])
        return order.indexOf(a[i].toLowerCase()) < order.indexOf(b[i].toLowerCase());
    }
    return true;
  }
  function named(white, black) {
    const flipped2 = !stronger(white, black);
    return { name: flipped2 ? `${black}v${white}` : `${white}v${black}`, flipped: flipped2, men: white.length + black.length };
  }
  function materialOf(fen2) {
    const men = { w: {}, b: {} };
    for (const piece of readBoard(fen2).values())
      men[piece[0]][piece[1]] = (men[piece[0]][piece[1]] ?? 0) + 1;
    return named(letters(men.w), letters(men.b));
  }
  function dependencies(name) {
    const sides = name.split("v");
    const found = /* @__PURE__ */ new Map();
    const add = (white, black) => {
      const next = named(white, black);
      if (next.men > 2 && next.name !== name)
        found.set(next.name, next);
    };
    const without = (side2, piece) => side2.replace(piece, "");
    const sorted = (side2) => [...side2].sort((a, b) => order.indexOf(a.toLowerCase()) - order.indexOf(b.toLowerCase())).join("");
    for (const [own, other] of [sides, [...sides].reverse()]) {
      const taken = [...new Set(other.slice(1))].map((piece) => without(other, piece));
      const promoted = own.includes("P") ? [..."QRBN"].map((piece) => sorted(without(own, "P") + piece)) : [];
      taken.forEach((rest) => add(own, rest));
      promoted.forEach((mine) => [other, ...taken].forEach((rest) => add(mine, rest)));
    }
    return [...found.values()].sort((a, b) => b.men - a.men);
  }
  function inWords(fen2) {
    const men = [...readBoard(fen2)].sort(([, a], [, b]) => order.indexOf(a[1]) - order.indexOf(b[1]));
    const side2 = (colour) => men.filter(([, piece]) => piece[0] === colour).map(([square, piece]) => (piece[1] === "p" ? "" : piece[1].toUpperCase()) + square).join(" ");
    return `${side2("w")} v ${side2("b")}`;
  }
  var height = 100;
  function svg(name, attributes, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes))
      made.setAttribute(key, value);
    made.append(...children);
    return made;
  }
  function histogram(bins, here, most) {
    const decided = bins.filter((bin) => bin.outcome !== "draw");
    const scale = height / Math.log10(Math.max(...decided.map((bin) => bin.count), 10) * 1.5);
    const bars = decided.map((bin) => {
      const bar = Math.max(scale * Math.log10(bin.count * 1.5), 3);
      const up = isWin(bin.outcome);
      const title = svg("title", {}, `${outcome(bin.outcome).name}, DTZ ${bin.dtz}: ${bin.count.toLocaleString("en")}`);
      return svg("rect", {
        x: bin.dtz + 0.1,
        y: up ? height - bar : height,
        width: 0.8,
        height: bar,
        class: outcome(bin.outcome).tone
      }, title);
    });
    if (here !== null && here !== 0)
      bars.unshift(svg("rect", { x: Math.abs(here) - 0.4, y: here > 0 ? 0 : height, width: 1.8, height, class: "here" }));
    const any = (sign) => decided.some((bin) => isWin(bin.outcome) === sign);
    const [top, bottom] = [any(true) ? 0 : height, any(false) ? 2 * height : height];
    const label = `Positions by distance, up to ${most} plies, heights logarithmic`;
    return svg("svg", {
      viewBox: `0 ${top} ${most + 1} ${Math.max(bottom - top, 1)}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": label,
      class: any(true) && any(false) ? "tall" : ""
    }, ...bars);
  }
  var percent = (share) => share > 0 && share < 0.1 ? "< 0.1 %" : share > 99.9 && share < 100 ? "> 99.9 %" : `${share.toFixed(1)} %`;
  function totals(bins) {
    const sums = /* @__PURE__ */ new Map();
    for (const bin of bins)
      sums.set(bin.outcome, (sums.get(bin.outcome) ?? 0) + bin.count);
    const all = [...sums.values()].reduce((a, b) => a + b, 0);
    return [...sums].map(([key, count2]) => {
      const share = 100 * count2 / all;
      return { key, count: count2, share: percent(share) };
    });
  }

  // src/tables.js
  var asked = null;
  function tablesThere() {
    asked ?? (asked = get("endgames").then((response) => response.json()).then((all) => {
      const there = new Map(all.filter((table) => !table.metric.startsWith("dtm") && !table.metric.startsWith("dtc")).map((table) => [table.material, table]));
      for (const table of all) {
        const full3 = there.get(table.material.replace(".dtm", ""));
        if (table.metric === "dtm" && full3 !== void 0)
          full3.mates = true;
      }
      return there;
    }).catch((error) => {
      asked = null;
      throw error;
    }));
    return asked;
  }
  var hasTableOf = (there, fen2) => there.has(materialOf(fen2).name);
  function anyPosition(name) {
    const squares = [...Array(64)].fill("1");
    name.split("v").forEach((men, side2) => {
      const [first, second] = side2 === 0 ? [56, 48] : [7, 15];
      const way = side2 === 0 ? 1 : -1;
      [...men].forEach((piece, i) => {
        squares[(piece === "P" ? second : first) + way * i] = side2 === 0 ? piece : piece.toLowerCase();
      });
    });
    const rows = [0, 1, 2, 3, 4, 5, 6, 7].map((row) => squares.slice(8 * row, 8 * row + 8).join(""));
    return `${rows.join("/").replace(/1+/g, (ones) => ones.length)} w - - 0 1`;
  }
  var full = (fen2) => `${fen2.split(" ").slice(0, 4).join(" ")} 0 1`;
  var longestOf = (table) => [...table?.longest ?? []].sort((a, b) => b.plies - a.plies)[0];
  var positionOf = (name, table) => {
    const longest = longestOf(table);
    return longest === void 0 ? anyPosition(name) : full(longest.fen);
  };
  var start = location.protocol === "file:" ? "index.html" : "./";
  var address = (fen2) => `${start}?fen=${fen2.replaceAll(" ", "_")}`;

  // src/examples.js
  var examples = [
    { name: "Saavedra, 1895", text: "one move wins, with a promotion to a rook", fen: "8/8/1KP5/3r4/8/8/8/k7 w - - 0 1" },
    { name: "Philidor, 1777", text: "queen against rook", fen: "1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1" },
    { name: "Lucena", text: "the rook builds a bridge", fen: "1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1" },
    { name: "Philidor’s defence", text: "rook and pawn do not win", fen: "4k3/7R/r7/3KP3/8/8/8/8 b - - 0 1" },
    { name: "Réti, 1921", text: "a king catches two pawns", fen: "7K/8/k1P5/7p/8/8/8/8 w - - 0 1" },
    {
      name: "Two bishops against a knight",
      text: "mate in 78 moves: too late for the 50-move rule",
      fen: "8/8/8/1B6/8/8/4n3/1KBk4 w - - 0 1"
    },
    { name: "Trébuchet", text: "whoever has to move loses", fen: "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1" }
  ];
  var fallback = "4k3/8/8/8/8/8/8/3QK3 w - - 0 1";
  var firstPosition = (there) => examples.find((one) => hasTableOf(there, one.fen))?.fen ?? fallback;

  // src/list.js
  function element(name, child, className = "") {
    const made = document.createElement(name);
    made.append(child);
    made.className = className;
    return made;
  }
  function button(text, press) {
    const made = element("button", text);
    made.addEventListener("click", press);
    return made;
  }
  function groups(all, words, play2) {
    return all.filter((group) => group.moves.length > 0).flatMap((group) => {
      const list2 = document.createElement("ul");
      for (const move of group.moves) {
        const [text, small] = words(move);
        const made = button(text, () => play2(move));
        made.append(" ", element("small", small));
        list2.append(element("li", made));
      }
      const heading = element("h3", group.head, group.tone);
      heading.append(` (${group.moves.length})`);
      return [heading, list2];
    });
  }

  // src/explain.js
  var sections = null;
  async function open(name) {
    sections ?? (sections = get("help.html").then((response) => response.text()).then((text) => new DOMParser().parseFromString(text, "text/html")));
    const dialog = document.getElementById("explanation");
    const found = (await sections).getElementById(name);
    const more = element("a", "All explanations");
    const row = element("div", button("Close", () => dialog.close()), "row");
    more.href = `help.html#${name}`;
    row.append(more);
    dialog.replaceChildren(...[...found.children].map((one) => document.importNode(one, true)), row);
    dialog.setAttribute("aria-label", found.querySelector("h2").textContent);
    dialog.showModal();
  }
  var explain = (name) => open(name).catch(() => {
    location.href = `help.html#${name}`;
  });
  function term(text, name) {
    const made = button(text, () => explain(name));
    made.className = "term";
    made.setAttribute("aria-haspopup", "dialog");
    return made;
  }
  var withTerms = (parts) => parts.map((part) => typeof part === "string" ? part : term(...part));

  // src/marks.js
  function svg2(name, attributes) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes))
      made.setAttribute(key, value);
    return made;
  }
  var Marks = class extends Extension {
    constructor(board2) {
      super(board2);
      this.shown = { last: [], picked: null, targets: [], cursor: null, arrow: null };
      this.layer = board2.view.markersTopLayer;
      this.registerExtensionPoint(EXTENSION_POINT.afterRedrawBoard, () => this.draw());
      board2.mark = (changes2) => {
        Object.assign(this.shown, changes2);
        this.draw();
      };
    }
    draw() {
      const { last, picked: picked2, targets, cursor, arrow } = this.shown;
      for (const square of this.chessboard.view.boardGroup.querySelectorAll("[data-square]")) {
        square.classList.toggle("last", last.includes(square.dataset.square));
        square.classList.toggle("picked", picked2 === square.dataset.square);
      }
      this.layer.replaceChildren(...targets.map((square) => this.dot(square)));
      if (cursor !== null) {
        const { squareWidth: size } = this.chessboard.view;
        const { x, y } = this.chessboard.view.squareToPoint(cursor);
        this.layer.append(svg2("rect", { x: x + 2, y: y + 2, width: size - 4, height: size - 4, class: "cursor" }));
      }
      if (arrow !== null)
        this.layer.append(this.arrow(arrow));
    }
    centre(square) {
      const { squareWidth: size } = this.chessboard.view;
      const { x, y } = this.chessboard.view.squareToPoint(square);
      return { x: x + size / 2, y: y + size / 2, size };
    }
    // A dot on an empty square, a ring around a man.
    dot(square) {
      const { x, y, size } = this.centre(square);
      const taken = this.chessboard.getPiece(square);
      return svg2("circle", {
        cx: x,
        cy: y,
        r: size * (taken ? 0.44 : 0.15),
        "stroke-width": size * 0.08,
        class: taken ? "target ring" : "target",
        "data-target": square
      });
    }
    arrow({ from, to, tone }) {
      const a = this.centre(from);
      const b = this.centre(to);
      const length = Math.hypot(b.x - a.x, b.y - a.y);
      const [x, y] = [(b.x - a.x) / length, (b.y - a.y) / length];
      const point = (along, across) => `${a.x + (along * x - across * y) * a.size},${a.y + (along * y + across * x) * a.size}`;
      const tip = length / a.size - 0.1;
      const points = [
        [0.25, -0.08],
        [tip - 0.4, -0.08],
        [tip - 0.4, -0.24],
        [tip, 0],
        [tip - 0.4, 0.24],
        [tip - 0.4, 0.08],
        [0.25, 0.08]
      ].map(([along, across]) => point(along, across)).join(" ");
      return svg2("polygon", { points, class: `arrow ${tone}`, "data-arrow": from + to });
    }
  };

  // src/moves.js
  var plies = (move) => {
    const after = Math.abs(move.dtz);
    return move.checkmate ? 1 : move.zeroing ? after > 100 ? 101 : 1 : after + 1;
  };
  var mates = (dtm, won) => `${won ? "mate" : "mated"} in ${Math.ceil(Math.abs(dtm) / 2)}`;
  var groupMoves = (moves) => [...keys, "unknown"].map((key) => ({
    ...outcome(key),
    key,
    moves: moves.filter((move) => turned(move.category) === key || key === "unknown" && move.category === key)
  })).filter((group) => group.moves.length > 0);
  function distance(move) {
    if (move.checkmate)
      return "mate";
    if (move.stalemate)
      return "stalemate";
    const notes = [];
    if (move.dtm)
      notes.push(mates(Math.abs(move.dtm) + 1, move.dtm < 0));
    if (move.dtz)
      notes.push(`DTZ ${plies(move)}`);
    return notes.join(", ");
  }
  function verdict(answer, side2, clock2) {
    const name = side2 === "w" ? "White" : "Black";
    if (answer.checkmate)
      return { parts: [`${name} is checkmated`], tone: "loss" };
    if (answer.stalemate)
      return { parts: [`${name} is stalemated: a draw`], tone: "draw" };
    const { side: does, tone, term: term2 } = outcome(answer.category);
    if (does === void 0)
      return { parts: ["No table has this position"], tone: "draw" };
    const notes = [];
    const dtz = Math.abs(answer.dtz ?? 0);
    if (answer.dtm)
      notes.push([mates(answer.dtm, answer.dtm > 0), "dtm"]);
    if (dtz > 0)
      notes.push([`DTZ ${dtz}`, "dtz"]);
    if (term2 !== void 0 && clock2 > 0 && dtz <= 100 && clock2 + dtz > 100)
      notes.push([`${clock2} + ${dtz} > 100`, "clock"]);
    const parts = [`${name} to move `, term2 === void 0 ? does : [does, term2]];
    notes.forEach((note2, i) => parts.push(i === 0 ? " (" : ", ", note2));
    return { parts: notes.length > 0 ? [...parts, ")"] : parts, tone };
  }

  // src/panel.js
  var $ = (id) => document.getElementById(id);
  var menCounted = 4;
  var menNamed = 8;
  var stats = /* @__PURE__ */ new Map();
  var showing = "";
  var open2 = null;
  function link(text, fen2) {
    const made = element("a", text);
    made.href = address(fen2);
    made.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey)
        return;
      event.preventDefault();
      open2(fen2);
      window.scrollTo({ top: 0 });
    });
    return made;
  }
  var item = (child, ...more) => {
    const made = element("li", child);
    made.append(...more);
    return made;
  };
  var list = (items) => {
    const made = document.createElement("ul");
    made.append(...items);
    return made;
  };
  var full2 = (fen2) => `${fen2.split(" ").slice(0, 4).join(" ")} 0 1`;
  var otherColour = { white: "black", black: "white" };
  var capital = (word) => word[0].toUpperCase() + word.slice(1);
  async function ask(name) {
    while (!stats.has(name) && showing === name) {
      const response = await get(`stats/${name}.json`);
      if (response.status === 200)
        stats.set(name, await response.json());
      else if (response.status !== 202)
        throw new Error((await response.text()).trim());
      else if (showing === name) {
        const { share } = await response.json();
        $("counting").textContent = `The server counts all positions: ${Math.round(100 * share)} %`;
        await new Promise((resolve) => setTimeout(resolve, share === 0 ? 300 : 1e3));
      }
    }
    return showing === name ? stats.get(name) : null;
  }
  function histogramCard(answer, colour, flipped2, dtz, most) {
    const bins = answer[colour];
    const rows = totals(bins).map(({ key, count: count2, share }) => {
      const row = document.createElement("tr");
      const { name, term: explained } = outcome(key);
      row.append(
        element("th", explained === void 0 ? name : term(name, explained)),
        element("td", count2.toLocaleString("en")),
        element("td", share)
      );
      row.firstChild.scope = "row";
      return row;
    });
    const table = element("table", "", "totals");
    const card = element("div", element("h3", `${capital(colour)}${flipped2 ? ` (${otherColour[colour]} on the board)` : ""} to move`), "card histogram");
    table.append(...rows);
    if (bins.some((bin) => bin.dtz > 0)) {
      const axis = element("div", element("span", "DTZ 0"), "axis");
      const mark = element("span", dtz ? `this position: ${Math.abs(dtz)}` : "", "mark");
      mark.style.left = `${Math.max(25, Math.min(75, 100 * Math.abs(dtz) / most))}%`;
      axis.append(mark, element("span", String(most)));
      card.append(histogram(bins, dtz, most), axis);
    }
    card.append(table);
    return card;
  }
  function showHistograms(answer, side2, flipped2, dtz) {
    const colour = flipped2 ? otherColour[side2] : side2;
    const most = Math.max(1, ...[...answer.white, ...answer.black].map((bin) => bin.dtz ?? 0));
    $("histograms").replaceChildren(
      histogramCard(answer, colour, flipped2, dtz, most),
      histogramCard(answer, otherColour[colour], flipped2, null, most)
    );
  }
  function showLists(answer) {
    const longest = answer.longest_by_side.filter((one) => one.outcome !== "draw").map((one) => item(
      link(inWords(one.fen), full2(one.fen)),
      element("small", `${capital(one.to_move)} to move ${outcome(one.outcome).side}, DTZ ${one.dtz}`)
    ));
    $("longest").replaceChildren(longest.length > 0 ? list(longest) : element("p", "No side can win."));
    const kinds = answer.zugzwangs.map((kind) => {
      const made = document.createElement("details");
      made.append(element("summary", `White to move ${outcome(kind.white_to_move).side}, Black to move ${outcome(kind.black_to_move).side}: ${kind.classes.toLocaleString("en")}`));
      made.append(list(kind.fens.map((fen2) => item(link(inWords(fen2), full2(fen2))))));
      if (kind.fens.length < kind.classes)
        made.append(element("p", `the first ${kind.fens.length}`));
      return made;
    });
    $("zugzwangs").replaceChildren(...kinds.length > 0 ? kinds : [element("p", "There are none.")]);
  }
  function showDependencies(name, men, there) {
    const found = men > menNamed ? [] : dependencies(name);
    $("leads").replaceChildren(...found.map((next) => {
      const made = link(next.name, positionOf(next.name, there.get(next.name)));
      made.append(element("small", there.has(next.name) ? "✓ present" : "✗ missing"));
      return item(made);
    }));
    $("leads-part").hidden = men > menNamed;
    $("leads").hidden = found.length === 0;
    $("leads-none").hidden = found.length > 0;
  }
  function showNote(name, men, flipped2, there) {
    const table = there.get(name);
    const most = Math.max(0, ...[...there.values()].map((one) => one.men));
    $("material-name").textContent = men > menNamed ? `${men} men` : name;
    $("material-note").textContent = table === void 0 ? `There is no table of ${men > menNamed ? "so many men" : name} here; those that are here have at most ${most} men. ` : `A table of ${table.bytes.toLocaleString("en")} bytes, with ${men} men${table.mates ? ", and one of distances to mate" : ""}.` + (flipped2 ? " On the board its colours are swapped." : "");
    if (table === void 0 && men <= 6)
      $("material-note").append("This command makes it: ", element("code", `cltb build ${name}`));
  }
  async function count(name, side2, flipped2, dtz) {
    $("ask").hidden = true;
    try {
      const answer = await ask(name);
      if (answer === null)
        return;
      $("counting").textContent = "";
      showHistograms(answer, side2, flipped2, dtz);
      showLists(answer);
      $("counts").hidden = false;
    } catch (error) {
      if (showing === name)
        $("counting").textContent = error.message;
    }
  }
  async function showMaterial(fen2, dtz, visit) {
    const { name, flipped: flipped2, men } = materialOf(fen2);
    const side2 = fen2.split(" ")[1] === "b" ? "black" : "white";
    const changed = showing !== name;
    open2 = visit;
    showing = name;
    $("material").hidden = men < 3;
    if (men < 3)
      return;
    const there = await tablesThere();
    if (showing !== name)
      return;
    const table = there.get(name);
    showNote(name, men, flipped2, there);
    showDependencies(name, men, there);
    $("ask").hidden = true;
    if (changed) {
      $("counting").textContent = "";
      $("counts").hidden = true;
    }
    if (table === void 0)
      return;
    if (table.longest !== void 0 || men <= menCounted || stats.has(name))
      await count(name, side2, flipped2, dtz);
    else {
      $("ask").hidden = false;
      $("ask").onclick = () => count(name, side2, flipped2, dtz);
    }
  }
  function hideMaterial() {
    showing = "";
    $("material").hidden = true;
  }

  // src/share.js
  var $2 = (id) => document.getElementById(id);
  async function copy(text, what, note2) {
    try {
      await navigator.clipboard.writeText(text);
      note2(`${what} copied.`);
    } catch {
      const area = document.createElement("textarea");
      const dialog = $2("explanation");
      area.value = text;
      area.readOnly = true;
      area.rows = 8;
      area.setAttribute("aria-label", "Text to copy");
      dialog.replaceChildren(
        element("p", "Copy this with Ctrl+C or by a long touch:"),
        area,
        button("Close", () => dialog.close())
      );
      dialog.setAttribute("aria-label", "Copy");
      dialog.showModal();
      area.focus();
      area.select();
    }
  }
  function save(text, name) {
    const link2 = document.createElement("a");
    link2.href = URL.createObjectURL(new Blob([text], { type: "application/x-chess-pgn" }));
    link2.download = name;
    link2.click();
    setTimeout(() => URL.revokeObjectURL(link2.href), 1e4);
  }

  // src/main.js
  var names = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };
  var $3 = (id) => document.getElementById(id);
  var answers = /* @__PURE__ */ new Map();
  var NoAnswer = class extends Error {
  };
  var steps2 = [{ fen: "8/8/8/8/8/8/8/8 w - - 0 1" }];
  var at = 0;
  var spare = null;
  var legal = [];
  var picked = null;
  var flipped = false;
  var named2 = false;
  var shown = 0;
  var board = new Chessboard($3("board"), {
    assetsUrl: "",
    style: { pieces: { file: "pieces.svg" }, animationDuration: 150 },
    extensions: [{ class: Marks }]
  });
  var fen = () => steps2[at].fen;
  var side = () => fen().split(" ")[1] === "b" ? "b" : "w";
  var settingUp = () => !$3("tools").hidden;
  var clock = () => Number(fen().split(" ")[4] ?? 0);
  var note = (text) => {
    $3("note").textContent = text;
  };
  async function ask2(path, position) {
    const key = path + position;
    if (!answers.has(key)) {
      const response = await get(`${path}?fen=${encodeURIComponent(position)}`).catch(() => {
        throw new NoAnswer("The server does not answer. Has it been stopped?");
      });
      if (!response.ok)
        throw new (response.status < 500 ? Error : NoAnswer)((await response.text()).trim());
      answers.set(key, await response.json());
    }
    return answers.get(key);
  }
  function step(from, uci) {
    const chess = new Chess(from, { skipValidation: true });
    const move = chess.move({ from: uci.slice(0, 2), to: uci.slice(2, 4), promotion: uci[4] });
    return { fen: chess.fen(), san: move.san, uci };
  }
  function play(uci) {
    named2 = true;
    steps2 = [...steps2.slice(0, at + 1), step(fen(), uci)];
    at++;
    show(true);
  }
  function go(index) {
    named2 || (named2 = index > 0);
    at = Math.max(0, Math.min(index, steps2.length - 1));
    show(false);
  }
  function setPosition(position, push = true) {
    named2 || (named2 = push);
    steps2 = [{ fen: position.trim().replaceAll("_", " ") }];
    at = 0;
    return show(push);
  }
  async function bestLine() {
    const mine = shown;
    try {
      const { mainline } = await ask2("standard/mainline", fen());
      if (mine !== shown)
        return false;
      steps2 = steps2.slice(0, at + 1);
      for (const { uci } of mainline)
        steps2.push(step(steps2.at(-1).fen, uci));
      showLine();
      note(mainline.length === 0 ? "There is no line to play: the position is drawn or over." : "");
      return mainline.length > 0;
    } catch (error) {
      note(error.message);
      return false;
    }
  }
  async function forward() {
    if (at + 1 < steps2.length || await bestLine())
      go(at + 1);
  }
  function showLine() {
    $3("line-part").hidden = steps2.length < 2;
    $3("line").replaceChildren(...steps2.slice(1).map((one, i) => {
      const [, mover, , , , number] = steps2[i].fen.split(" ");
      const made = button(one.san, () => go(i + 1));
      if (i + 1 === at)
        made.setAttribute("aria-current", "step");
      const item2 = element("li", made);
      if (mover === "w" || i === 0)
        item2.prepend(element("span", `${number ?? 1}${mover === "w" ? "." : "…"}`));
      return item2;
    }));
  }
  function pgn2() {
    const chess = new Chess(steps2[0].fen, { skipValidation: true });
    chess.setHeader("SetUp", "1");
    chess.setHeader("FEN", steps2[0].fen);
    for (const { uci } of steps2.slice(1))
      chess.move({ from: uci.slice(0, 2), to: uci.slice(2, 4), promotion: uci[4] });
    if (chess.isCheckmate())
      chess.setHeader("Result", chess.turn() === "w" ? "0-1" : "1-0");
    else if (chess.isStalemate())
      chess.setHeader("Result", "1/2-1/2");
    return chess.pgn();
  }
  async function show(push) {
    const mine = ++shown;
    const url = `?fen=${fen().replaceAll(" ", "_")}`;
    if (named2)
      history[push ? "pushState" : "replaceState"](null, "", url);
    $3("examples").hidden = named2;
    $3("remedy").hidden = true;
    $3("fen").value = fen();
    $3("side").value = side();
    $3("clock").value = clock();
    legal = [];
    pick(null);
    const { uci } = steps2[at];
    board.mark({ last: uci === void 0 ? [] : [uci.slice(0, 2), uci.slice(2, 4)], arrow: null });
    showLine();
    note("");
    board.disableMoveInput();
    if (isBoard(fen()))
      board.setPosition(fen().split(" ")[0], true);
    $3("board").querySelector("svg").setAttribute("aria-label", `Board: ${fen().split(" ")[0]}`);
    if (settingUp())
      board.enableMoveInput(onSetupInput);
    try {
      const wrong = fault(fen());
      if (wrong !== null)
        throw new Error(wrong);
      const answer = await ask2("standard", fen());
      if (mine === shown)
        showAnswer(answer);
    } catch (error) {
      if (mine === shown)
        showFault(error);
    }
  }
  function showFault(error) {
    const text = error.message;
    const remedy = (words, act) => {
      $3("remedy").replaceChildren(button(words, act));
      $3("remedy").hidden = false;
    };
    $3("verdict").textContent = error instanceof NoAnswer ? "No answer" : "Not a position";
    $3("verdict").className = "";
    $3("moves").replaceChildren();
    hideMaterial();
    note(text.replace(/^FEN: (.*)$/, "$1."));
    if (error instanceof NoAnswer)
      remedy("Try again", () => show(false));
    else if (/is in check, but .* to move/.test(text))
      remedy(`${side() === "w" ? "Black" : "White"} to move`, () => changeSide(side() === "w" ? "b" : "w"));
  }
  function showAnswer(answer) {
    const { parts, tone } = verdict(answer, side(), clock());
    $3("verdict").replaceChildren(...withTerms(parts));
    $3("verdict").className = tone;
    legal = answer.moves;
    const moves = groupMoves(answer.moves).map((group) => ({ ...group, head: group.term === void 0 ? group.title : term(group.title, group.term) }));
    $3("moves").replaceChildren(...groups(moves, (move) => [move.san, distance(move)], (move) => play(move.uci)));
    $3("moves").querySelectorAll("ul").forEach((list2, i) => list2.querySelectorAll("button").forEach((made, j) => {
      const { uci } = moves[i].moves[j];
      const draw = (on) => board.mark({ arrow: on ? { from: uci.slice(0, 2), to: uci.slice(2, 4), tone: moves[i].tone } : null });
      for (const [event, on] of [["pointerenter", true], ["focus", true], ["pointerleave", false], ["blur", false]])
        made.addEventListener(event, () => draw(on));
    }));
    showMaterial(fen(), answer.dtz, setPosition).catch(() => hideMaterial());
    if (!settingUp())
      board.enableMoveInput(onInput, side() === "w" ? COLOR.white : COLOR.black);
  }
  function onInput(event) {
    if (event.type === INPUT_EVENT_TYPE.moveInputStarted) {
      const can = legal.some((move) => move.uci.startsWith(event.squareFrom));
      pick(can ? event.squareFrom : null);
      return can;
    }
    if (event.type === INPUT_EVENT_TYPE.moveInputCanceled)
      pick(null);
    if (event.type !== INPUT_EVENT_TYPE.validateMoveInput)
      return true;
    const fitting = movesBetween(event.squareFrom, event.squareTo);
    pick(null);
    setTimeout(() => playOne(fitting));
    return fitting.length === 1;
  }
  var movesBetween = (from, to) => legal.filter((move) => move.uci.slice(0, 4) === from + to);
  function playOne(fitting) {
    if (fitting.length === 1)
      play(fitting[0].uci);
    else if (fitting.length > 1)
      promote(fitting);
  }
  var picture = (piece) => `<svg viewBox="0 0 40 40" aria-hidden="true"><use href="#${piece}"/></svg>`;
  function promote(moves) {
    const dialog = $3("promotion");
    const choices = moves.map((move) => {
      const made = button("", () => {
        dialog.close();
        play(move.uci);
      });
      made.innerHTML = picture(side() + move.uci[4]);
      made.setAttribute("aria-label", names[move.uci[4]]);
      return made;
    });
    dialog.replaceChildren(...choices, button("Cancel", () => dialog.close()));
    dialog.showModal();
    const square = $3("board").querySelector(`rect[data-square=${moves[0].uci.slice(2, 4)}]`).getBoundingClientRect();
    const { width, height: height2 } = dialog.getBoundingClientRect();
    dialog.style.left = `${Math.max(4, Math.min(square.left, innerWidth - width - 4))}px`;
    dialog.style.top = `${Math.max(4, Math.min(square.top, innerHeight - height2 - 4))}px`;
  }
  function typed(text) {
    const plain = (move) => move.replace(/[-+#x=\s]/g, "").toLowerCase();
    const exact = legal.filter((move) => move.san.replace(/[+#]/g, "") === text.replace(/[+#]/g, ""));
    const near = legal.filter((move) => [plain(move.san), move.uci].includes(plain(text)));
    return exact[0] ?? (near.length === 1 ? near[0] : void 0);
  }
  function onTyped(event) {
    event.preventDefault();
    const text = $3("typed").value.trim();
    const move = typed(text);
    if (text === "")
      return;
    if (move === void 0) {
      note(`${text} is not a move here.`);
      return;
    }
    $3("typed").value = "";
    play(move.uci);
  }
  function describe(square) {
    const piece = readBoard(fen()).get(square);
    return piece === void 0 ? "empty" : `${piece[0] === "w" ? "White" : "Black"} ${names[piece[1]]}`;
  }
  function pick(square) {
    const targets = square === null || settingUp() ? [] : legal.filter((move) => move.uci.startsWith(square)).map((move) => move.uci.slice(2, 4));
    board.mark({ picked: square, targets: [...new Set(targets)] });
    picked = square;
  }
  function pressSquare(square) {
    const from = picked;
    const now = readBoard(fen());
    pick(null);
    if (square === null)
      return;
    if (settingUp() && spare !== null) {
      change(place(now, square, spare || null));
    } else if (from !== null && from !== square && settingUp()) {
      const piece = now.get(from);
      now.delete(from);
      change(place(now, square, piece));
    } else if (from !== null && movesBetween(from, square).length > 0) {
      playOne(movesBetween(from, square));
    } else if (from !== square && (settingUp() ? now.has(square) : legal.some((move) => move.uci.startsWith(square)))) {
      pick(square);
    }
  }
  function change(board2) {
    setPosition(writeFen(board2, $3("side").value), false);
  }
  function changeSide(colour) {
    const [men, , castling, , ...numbers] = fen().split(" ");
    setPosition([men, colour, castling ?? "-", "-", ...numbers].join(" "));
  }
  function changeClock() {
    const [men, colour, castling, passing, , number] = fen().split(" ");
    const plies2 = Math.max(0, Math.min(150, Math.round($3("clock").valueAsNumber || 0)));
    setPosition([men, colour ?? "w", castling ?? "-", passing ?? "-", plies2, number ?? 1].join(" "));
  }
  function onSetupInput(event) {
    const now = readBoard(fen());
    if (event.type === INPUT_EVENT_TYPE.validateMoveInput && event.squareTo) {
      const piece = now.get(event.squareFrom);
      now.delete(event.squareFrom);
      setTimeout(() => change(place(now, event.squareTo, piece)));
    } else if (event.type === INPUT_EVENT_TYPE.moveInputCanceled && event.reason === "movedOutOfBoard") {
      setTimeout(() => change(place(now, event.squareFrom, null)));
    }
    return spare === null;
  }
  function chooseSpare(made, piece) {
    spare = spare === piece ? null : piece;
    for (const other of $3("spare").children)
      other.setAttribute("aria-pressed", String(other === made && spare !== null));
  }
  function fillSpare() {
    for (const colour of "wb") {
      for (const piece of Object.keys(names)) {
        const made2 = button("", () => chooseSpare(made2, colour + piece));
        made2.innerHTML = picture(colour + piece);
        made2.setAttribute("aria-label", `${colour === "w" ? "White" : "Black"} ${names[piece]}`);
        made2.setAttribute("aria-pressed", "false");
        $3("spare").append(made2);
      }
    }
    const made = button("Remove", () => chooseSpare(made, ""));
    made.setAttribute("aria-pressed", "false");
    $3("spare").append(made);
  }
  function onKey(event) {
    if (event.target.matches("input, select, textarea, dialog *") || event.altKey || event.ctrlKey || event.metaKey)
      return;
    const keys2 = { ArrowLeft: () => go(at - 1), ArrowRight: forward, Home: () => go(0), End: () => go(steps2.length - 1) };
    if (Object.hasOwn(keys2, event.key)) {
      event.preventDefault();
      keys2[event.key]();
    }
  }
  async function fromUrl() {
    const wanted = new URLSearchParams(location.search).get("fen");
    named2 = wanted !== null && wanted !== "";
    if (named2) {
      setPosition(wanted, false);
      return;
    }
    showExamples(null);
    await setPosition(examples[0].fen, false);
    const there = await tablesThere().catch(() => /* @__PURE__ */ new Map());
    showExamples(there);
    if (!named2 && !hasTableOf(there, examples[0].fen))
      setPosition(firstPosition(there), false);
  }
  function showExamples(there) {
    $3("examples").querySelector("ul").replaceChildren(...examples.map((one) => {
      const link2 = element("a", one.name);
      link2.href = address(one.fen);
      const item2 = element("li", link2);
      item2.append(`: ${one.text}`);
      if (there !== null && !hasTableOf(there, one.fen))
        item2.append(" ", element("small", "(no table here)"));
      return item2;
    }));
  }
  $3("first").onclick = () => go(0);
  $3("back").onclick = () => go(at - 1);
  $3("forward").onclick = forward;
  $3("last").onclick = () => go(steps2.length - 1);
  $3("best").onclick = bestLine;
  $3("flip").onclick = () => {
    flipped = !flipped;
    board.setOrientation(flipped ? COLOR.black : COLOR.white);
  };
  $3("setup").onclick = () => {
    $3("tools").hidden = settingUp();
    $3("setup").setAttribute("aria-pressed", String(settingUp()));
    chooseSpare(null, null);
    setPosition(fen(), !settingUp());
  };
  $3("side").onchange = () => changeSide($3("side").value);
  $3("clock").onchange = changeClock;
  $3("link").onclick = () => copy(new URL(address(fen()), location.href).href, "The link is", note);
  $3("pgn").onclick = () => copy(pgn2(), "The PGN is", note);
  $3("save").onclick = () => save(pgn2(), "cltb.pgn");
  $3("form").onsubmit = (event) => {
    event.preventDefault();
    setPosition($3("fen").value);
  };
  $3("move").onsubmit = onTyped;
  squareCursor($3("board"), $3("square"), {
    isFlipped: () => flipped,
    describe,
    press: pressSquare,
    mark: (cursor) => board.mark({ cursor }),
    remove: (square) => settingUp() && change(place(readBoard(fen()), square, null))
  });
  $3("board").addEventListener("pointerdown", (event) => {
    const square = event.target.closest("[data-square]")?.dataset.square;
    if (settingUp() && spare !== null && square)
      change(place(readBoard(fen()), square, spare || null));
  });
  for (const one of document.querySelectorAll("[data-change]"))
    one.onclick = () => change(changes[one.dataset.change](readBoard(fen())));
  for (const one of document.querySelectorAll("[data-term]"))
    one.onclick = () => explain(one.dataset.term);
  document.addEventListener("keydown", onKey);
  window.addEventListener("popstate", fromUrl);
  fillSpare();
  fromUrl();
})();
