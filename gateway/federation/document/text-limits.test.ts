import { assertTextWithinLimits, MAX_BRACKETS, MAX_COMMENTS } from './text-limits';

const check = (text: string) => () => assertTextWithinLimits(text);
const brackets = (count: number): string => `${'['.repeat(count)}${']'.repeat(count)}`;

describe('the text of a document', () => {
  it('may have brackets in one another up to their maximum, and any number beside each other', () => {
    expect(check(brackets(MAX_BRACKETS))).not.toThrow();
    expect(check(brackets(1).repeat(1000))).not.toThrow();
    expect(check(brackets(MAX_BRACKETS + 1))).toThrow('brackets in one another');
    expect(check('{ a(b: ['.repeat(MAX_BRACKETS / 2))).toThrow('brackets in one another');
  });

  const many = '['.repeat(MAX_BRACKETS + 1);
  it.each([
    `"${many}"`,
    `"\\"${many}"`,
    `"\\\\" "${many}"`,
    `"""${many}"""`,
    `""" " \\""" ${many}"""`,
    `# ${many}`,
    `# "\n"${many}"`,
    `"" # """\r"${many}"`,
  ])('does not count those of strings and comments: %s', (text) => {
    expect(check(`{ ${text} }`)).not.toThrow();
  });

  it.each([`"" ${many}`, `"""""" ${many}`, `"\\\\" ${many}`, `"""\\"""""" ${many}`, `# "\n${many}`, `"\n${many}`])(
    'counts those after strings and comments: %s',
    (text) => {
      expect(check(text)).toThrow('brackets in one another');
    },
  );

  const megabyteOf = (part: string): string => part.repeat(1_048_576 / part.length);

  it.each(['{}', 'a', '"" ', '"a"', '"\\\\" ', '"""""" ', '"""\\"""""" '])(
    'may be a megabyte of %s, after which brackets are counted',
    (part) => {
      expect(check(megabyteOf(part))).not.toThrow();
      expect(check(`${megabyteOf(part)}${many}`)).toThrow('brackets in one another');
    },
  );

  it.each(['"', '"""'])('may have a megabyte after %s without an end', (quotes) => {
    for (const part of ['[', '\\\\', '\\"""']) expect(check(`${quotes}${megabyteOf(part)}`)).not.toThrow();
  });

  it('has a maximum of comments, and ends anywhere', () => {
    expect(check('#\n'.repeat(MAX_COMMENTS + 1))).toThrow('comments');
    for (const text of ['', '"', '"\\', '"""', '"""\\"""', '#', '{']) expect(check(text)).not.toThrow();
  });
});
