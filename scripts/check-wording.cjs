// Reports words that comments, descriptions, messages, names of tests, documents and identifiers avoid, with a
// replacement for each. All tracked files, or those under the given paths. Ends with 1 when there are findings.
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { isException } = require('./wording/exceptions.cjs');
const { DOCSTRING_RULES, NAME_RULES, OPENING_RULES, PROSE_RULES } = require('./wording/rules.cjs');
const { textsOf } = require('./wording/texts.cjs');

const root = path.resolve(__dirname, '..');
const READ = /\.(?:ts|cjs|mjs|md|prisma|sql|graphql)$/;
const GENERATED = /(?:^|\/)generated\/|^src\/persistence\/client\/|\/artifacts\//;

function filesToCheck(paths) {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...paths], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  return [...new Set(listed.split('\n'))].filter(
    (file) => READ.test(file) && !GENERATED.test(file) && fs.existsSync(path.join(root, file)),
  );
}

/** One pattern for all rules: most texts match none, and need no search rule by rule. */
const anyOf = (rules, flags) => new RegExp(rules.map(({ pattern }) => pattern.source).join('|'), flags);
const ANY_PROSE = anyOf(PROSE_RULES, 'i');
const ANY_NAME = anyOf(NAME_RULES, '');

const blank = (text) => text.replace(/[^\n]/g, ' ');

/** The prose of a text at the same offsets: code in backticks, addresses and the signs of comments are blank. */
function proseOf({ text, kind }) {
  const signs =
    kind === 'document' ? /^[ \t]*(?:[-*>#|]|\d+\.)+/gm : /^\s*(?:\/\*\*?|\*\/|\*|\/\/+|--+|["'`]+)|\*\/$/gm;
  return text.replace(/`[^`\n]*`|\$\{|https?:\/\/\S+/g, blank).replace(signs, blank);
}

/** Beginnings of sentences, with their offsets. */
function* sentences(prose) {
  for (const found of prose.matchAll(/(?:^|[.:;!?]\s|\n\s*\n|\|)\s*(?=[A-Z])/g)) {
    const start = found.index + found[0].length;
    yield { start, sentence: prose.slice(start, start + 80).replace(/\s+/g, ' ') };
  }
}

function* wordsIn(prose, file) {
  const flat = prose.replace(/\s/g, ' ');
  const padded = flat.replace(/ {2,}/g, (gap) => ` ${'\u0000'.repeat(gap.length - 1)}`);
  const plain = padded.replaceAll('\u0000', '');
  for (const { pattern, say, where } of ANY_PROSE.test(plain) ? PROSE_RULES : []) {
    if (where !== undefined && !where.test(file)) continue;
    for (const { index, 0: word } of plain.matchAll(pattern)) yield { index: offsetIn(padded, index), word, say };
  }
}

function* openingsIn(prose, kind) {
  let first = true;
  for (const { start, sentence } of sentences(prose)) {
    const rules = first && kind === 'docstring' ? [...OPENING_RULES, ...DOCSTRING_RULES] : OPENING_RULES;
    first = false;
    for (const { pattern, say } of rules) {
      const found = pattern.exec(sentence);
      if (found !== null) yield { index: start, word: found[0], say };
    }
  }
}

function findingsOfProse(file, text) {
  const prose = proseOf(text);
  return [...wordsIn(prose, file), ...openingsIn(prose, text.kind)];
}

/** Offset in the text with its padding, from the offset in the text without. */
function offsetIn(padded, plainIndex) {
  let seen = 0;
  for (let index = 0; index < padded.length; index++) {
    if (padded[index] === '\u0000') continue;
    if (seen++ === plainIndex) return index;
  }
  return padded.length;
}

function* findingsOfName(file, name) {
  if (!ANY_NAME.test(name)) return;
  for (const { pattern, say, where } of NAME_RULES) {
    if ((where === undefined || where.test(file)) && pattern.test(name)) yield { index: 0, word: name, say };
  }
}

const camelCase = (name) => name.replace(/-([a-z0-9])/g, (_, letter) => letter.toUpperCase());

function findingsOfFile(file) {
  const source = fs.readFileSync(path.join(root, file), 'utf8');
  const fileName = camelCase(path.basename(file).split('.')[0]);
  const findings = [...findingsOfName(file, fileName)].map((found) => ({ ...found, line: 1 }));
  const names = new Set();
  for (const text of textsOf(file, source)) {
    if (text.kind === 'name') {
      if (names.has(text.text)) continue;
      names.add(text.text);
    }
    const found = text.kind === 'name' ? findingsOfName(file, text.text) : findingsOfProse(file, text);
    for (const { index, word, say } of found) {
      findings.push({ line: source.slice(0, text.start + index).split('\n').length, word, say });
    }
  }
  return findings
    .filter(({ word }) => !isException(file, word))
    .sort((a, b) => a.line - b.line)
    .map((finding) => ({ file, ...finding }));
}

function checkWording(paths) {
  const findings = filesToCheck(paths).flatMap(findingsOfFile);
  for (const { file, line, word, say } of findings) console.log(`${file}:${line}: "${word}" → ${say}`);
  const files = new Set(findings.map(({ file }) => file)).size;
  console.log(findings.length === 0 ? 'No findings.' : `\n${findings.length} findings in ${files} files`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}

checkWording(process.argv.slice(2));
