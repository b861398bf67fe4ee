import type { Random } from '../../../test/federation/fuzz/random';

const HOST = 'Host: localhost\r\n';
const JSON_BODY = '{"query":"{ __typename }"}';
const VALID = [
  `GET /health HTTP/1.1\r\n${HOST}\r\n`,
  `GET /v2/swap/quote?originChain=base HTTP/1.1\r\n${HOST}Connection: keep-alive\r\n\r\n`,
  `POST /graphql HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: ${String(JSON_BODY.length)}\r\n\r\n${JSON_BODY}`,
  `POST /v2/swap/bytecode HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  `GET /actions HTTP/1.1\r\n${HOST}\r\nGET /health HTTP/1.1\r\n${HOST}\r\n`,
];
const INSERTED = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  ' ',
  ':',
  'Content-Length: 5\r\n',
  'Content-Length: -1\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Transfer-Encoding: gzip, chunked\r\n',
  'Expect: 100-continue\r\n',
  'Expect: x\r\n',
  'Upgrade: websocket\r\nConnection: Upgrade\r\n',
  `X: ${'x'.repeat(20_000)}\r\n`,
  'X: y\r\n'.repeat(3000),
  'HTTP/2.0',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'CONNECT example.org:443 HTTP/1.1\r\n\r\n',
  'ffffffffffffffff\r\n',
  '\u00e9',
];
/** First bytes of other protocols: TLS, SSH, HTTP/2, SMTP, SOCKS. */
const FOREIGN = [
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'SSH-2.0-x\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'EHLO x\r\n',
  '\x05\x01\x00',
];

/** What a broken or hostile client may send. One byte for each character. */
export function randomInput(random: Random): Buffer {
  if (random.chance(0.05)) return Buffer.from(random.pick(FOREIGN), 'latin1');
  let text = random.pick(VALID);
  for (let changes = 1 + random.below(4); changes > 0; changes -= 1) text = changeOnce(text, random);
  return Buffer.from(text, 'latin1');
}

function changeOnce(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  const removed = random.chance(0.5) ? 0 : 1 + random.below(random.chance(0.1) ? text.length : 4);
  const added = random.pick([random.pick(INSERTED), String.fromCharCode(random.below(256)), '']);
  return text.slice(0, at) + added + text.slice(at + removed);
}
