// Takes the texts that people read, and the names, out of a file.
const ts = require('typescript');

const TEST_CALLS = new Set(['it', 'test', 'describe', 'fit', 'xit']);
const kinds = ts.SyntaxKind;

/** Tokens that end an operand: a slash after one of them divides, and does not open a regular expression. */
const OPERAND_ENDS = new Set([
  kinds.Identifier,
  kinds.NumericLiteral,
  kinds.BigIntLiteral,
  kinds.StringLiteral,
  kinds.NoSubstitutionTemplateLiteral,
  kinds.TemplateTail,
  kinds.RegularExpressionLiteral,
  kinds.CloseParenToken,
  kinds.CloseBracketToken,
  kinds.CloseBraceToken,
  kinds.ThisKeyword,
  kinds.SuperKeyword,
  kinds.TrueKeyword,
  kinds.FalseKeyword,
  kinds.NullKeyword,
]);

const isComment = (kind) => kind === kinds.SingleLineCommentTrivia || kind === kinds.MultiLineCommentTrivia;
const isTrivia = (kind) => isComment(kind) || kind === kinds.WhitespaceTrivia || kind === kinds.NewLineTrivia;
const isText = (kind) =>
  kind === kinds.StringLiteral ||
  kind === kinds.NoSubstitutionTemplateLiteral ||
  kind === kinds.TemplateHead ||
  kind === kinds.TemplateMiddle ||
  kind === kinds.TemplateTail;

/** The scanner with the two decisions that a parser makes for it: regular expressions, and the ends of templates. */
function createTokenReader(source) {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, ts.LanguageVariant.Standard, source);
  const templates = [];
  let previous = kinds.Unknown;
  return function next() {
    let kind = scanner.scan();
    if (kind === kinds.SlashToken || kind === kinds.SlashEqualsToken) {
      if (!OPERAND_ENDS.has(previous)) kind = scanner.reScanSlashToken();
    } else if (kind === kinds.OpenBraceToken) {
      templates.push(false);
    } else if (kind === kinds.CloseBraceToken && templates.pop() === true) {
      kind = scanner.reScanTemplateToken(false);
    }
    if (kind === kinds.TemplateHead || kind === kinds.TemplateMiddle) templates.push(true);
    if (!isTrivia(kind)) previous = kind;
    return { kind, start: scanner.getTokenStart(), end: scanner.getTokenEnd() };
  };
}

/** Follows `it('name'` and `it.each(rows)('name'`: reports whether a string is the name of a test. */
function createTestNameTracker() {
  let depth = 0;
  let callDepth;
  let expectsName = false;
  return function isTestName({ kind, text }) {
    if (expectsName && isText(kind)) {
      expectsName = false;
      callDepth = undefined;
      return true;
    }
    if (kind === kinds.Identifier && callDepth === undefined && TEST_CALLS.has(text)) callDepth = depth;
    expectsName = kind === kinds.OpenParenToken && callDepth === depth;
    if (kind === kinds.OpenParenToken) depth++;
    if (kind === kinds.CloseParenToken) depth--;
    if (kind === kinds.SemicolonToken) callDepth = undefined;
    return false;
  };
}

const isTestFile = (file) => file.endsWith('.test.ts') || file.startsWith('test/');

/** Comments, strings of several words, names of tests and identifiers of a TypeScript or JavaScript file. */
function textsOfCode(file, source) {
  const texts = [];
  const next = createTokenReader(source);
  const isTestName = createTestNameTracker();
  for (let token = next(); token.kind !== kinds.EndOfFileToken; token = next()) {
    const text = source.slice(token.start, token.end);
    if (isComment(token.kind)) {
      texts.push({ kind: text.startsWith('/**') ? 'docstring' : 'comment', start: token.start, text });
      continue;
    }
    if (isTrivia(token.kind)) continue;
    const named = isTestName({ kind: token.kind, text });
    if (token.kind === kinds.Identifier) texts.push({ kind: 'name', start: token.start, text });
    else if (isText(token.kind) && (named || (!isTestFile(file) && /\S\s+\S/.test(text)))) {
      texts.push({ kind: 'string', start: token.start, text });
    }
  }
  return texts;
}

/** Joins line comments that follow each other, so that a sentence is read as one. */
function lineComments(source, pattern) {
  const texts = [];
  let start = 0;
  let open;
  for (const line of source.split('\n')) {
    const found = pattern.exec(line);
    if (found === null) open = undefined;
    else if (open !== undefined && line.trim() === found[0].trim()) open.text += `\n${line}`;
    else texts.push((open = { kind: 'comment', start: start + found.index, text: found[0] }));
    start += line.length + 1;
  }
  return texts;
}

function namesOfSchema(source) {
  const blank = source.replace(/\/\/.*$|"[^"]*"/gm, (text) => ' '.repeat(text.length));
  return [...blank.matchAll(/[A-Za-z_]\w*/g)].map((found) => ({ kind: 'name', start: found.index, text: found[0] }));
}

const descriptions = (source) =>
  [...source.matchAll(/"""[^]*?"""|"(?:[^"\\\n]|\\.)*"/g)].map((found) => ({
    kind: 'docstring',
    start: found.index,
    text: found[0],
  }));

const withoutFences = (source) => source.replace(/^```[^]*?^```/gm, (code) => code.replace(/[^\n]/g, ' '));

function textsOf(file, source) {
  if (/\.(ts|cjs|mjs)$/.test(file)) return textsOfCode(file, source);
  if (file.endsWith('.prisma')) return [...lineComments(source, /\/\/.*$/), ...namesOfSchema(source)];
  if (file.endsWith('.sql')) return lineComments(source, /--.*$/);
  if (file.endsWith('.graphql')) return descriptions(source);
  return [{ kind: 'document', start: 0, text: withoutFences(source) }];
}

module.exports = { textsOf };
