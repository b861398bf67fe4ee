import { buildSchema } from 'graphql';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Pool } from 'undici';
import { createRandom, type Random } from '../../test/federation/fuzz/random';
import { compileResponses } from '../../test/openapi/response-schemas';
import { createProbe, type Probe } from '../../test/resilience/hostile/open-probe';
import { PROJECT_ROOT } from '../../src/config/project-root';
import { atMost, type Figure, none, plain, reportFigures } from './figures';
import { randomDocument } from './fuzz/graphql-requests';
import { sendBytes } from './fuzz/read-socket';
import { type FuzzedRequest, operationsOf, randomRequest, type RequestSource } from './fuzz/rest-requests';
import { randomInput } from './fuzz/socket-inputs';
import { Values } from './fuzz/values';
import { byteProblems, envelopeProblems, graphqlProblems, parseJson } from './fuzz/verify-graphql';
import { lowerPriority } from './lower-priority';
import type { Scenario } from './scenario';
import { withWrittenService } from './written-service';
import type { WriteTarget } from './write-client';

const COUNTS = [200_000, 50_000, 10_000] as const;
/** Requests at a time. Many more would be refused as overload. */
const LANES = 12;
const SOCKETS = 50;
const BLOCKED_MS = 200;
const TIMEOUT_MS = 60_000;
const MAX_SHOWN = 40;

/** Random requests of every route, random documents and random bytes, from a seed. */
export const FUZZ: readonly Scenario[] = [
  {
    name: 'random requests, documents and bytes',
    run: (setup, [rest = COUNTS[0], graphql = COUNTS[1], sockets = COUNTS[2], seed = Date.now() % 1_000_000]) => {
      const probe = createProbe(setup.directory);
      const settings = { ...setup.settings, ...probe.settings };
      return withWrittenService({ ...setup, settings }, async (written) => {
        const { target } = written;
        const service = await written.start();
        // The inputs come from this process, which represents clients on other machines. The service and its database run already.
        lowerPriority(process.pid);
        try {
          const fuzzer = await createFuzzer(target, createRandom(seed));
          const figures = [
            plain('seed', seed),
            ...(await measure('REST', { probe, phase: () => fuzzer.rest(rest) })),
            ...(await measure('GraphQL', { probe, phase: () => fuzzer.graphql(graphql) })),
            ...(await measure('socket', { probe, phase: () => fuzzer.sockets(sockets) })),
          ];
          await fuzzer.close();
          return reportFigures(figures);
        } finally {
          await service.stop();
        }
      });
    },
  },
];

/** Results of the inputs of one kind. */
interface Findings {
  /** Inputs by the status of their response. */
  readonly statuses: Map<string, number>;
  /** Differences of responses from the documentation, with the input. */
  readonly problems: string[];
}

async function measure(
  kind: string,
  { probe, phase }: { readonly probe: Probe; readonly phase: () => Promise<Findings> },
): Promise<readonly Figure[]> {
  await probe.blockedMs();
  const { statuses, problems } = await phase();
  const blockedMs = await probe.blockedMs();
  for (const problem of problems.slice(0, MAX_SHOWN)) console.error(problem);
  const counts = [...statuses].sort(([one], [other]) => one.localeCompare(other));
  const failed = problems.filter((problem) => problem.startsWith('5xx'));
  return [
    plain(`${kind}: inputs by status`, counts.map(([status, count]) => `${status}: ${String(count)}`).join(', ')),
    none(`${kind}: responses with a 5xx`, failed.length),
    none(`${kind}: responses that are not as documented, or none`, problems.length - failed.length),
    atMost(`${kind}: longest time of a blocked event loop`, { value: blockedMs, bound: BLOCKED_MS, unit: 'ms' }),
  ];
}

interface Fuzzer {
  rest(count: number): Promise<Findings>;
  graphql(count: number): Promise<Findings>;
  sockets(count: number): Promise<Findings>;
  close(): Promise<void>;
}

async function createFuzzer({ url, apiKey, ...trade }: WriteTarget, random: Random): Promise<Fuzzer> {
  const pool = new Pool(url, { connections: LANES, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  const known = { chain: [trade.chain], address: [trade.wallet], wallet: [trade.wallet], tokenin: [trade.tokenIn] };
  const values = new Values(random, { ...known, tokenout: [trade.tokenOut], token: [trade.tokenIn, trade.tokenOut] });
  const source: RequestSource = { random, values, apiKey };
  const send = async ({ method, path: target, headers, body }: FuzzedRequest) => {
    const response = await pool.request({ method, path: target, headers, body: body ?? null });
    return { status: response.statusCode, text: await response.body.text() };
  };
  const document = (await send({ method: 'GET', path: '/openapi.json', headers: {}, body: undefined })).text;
  const [operations, validate] = [operationsOf(document), compileResponses(document)];
  const schema = buildSchema(readFileSync(path.join(PROJECT_ROOT, 'gateway/api.graphql'), 'utf8'));

  const restProblems = ({ method, path: target }: FuzzedRequest, status: number, text: string): readonly string[] => {
    const body = parseJson(text);
    if (status === 200) values.keep(body);
    if (status >= 500) return [`5xx: ${String(status)}`];
    const { pathname, href } = new URL(target, url);
    const found = isOfNoRoute(pathname) ? undefined : validate({ method, url: href, status, body });
    return found === undefined ? problemsOfNoRoute({ method, status, text }) : found.differences;
  };
  return {
    rest: (count) =>
      repeat(count, LANES, async () => {
        const request = randomRequest(operations, source);
        const { status, text } = await send(request);
        const problems = restProblems(request, status, text);
        return { status, problems, input: `${request.method} ${request.path} ${request.body ?? ''} -> ${text}` };
      }),
    graphql: (count) =>
      repeat(count, LANES, async () => {
        const query = randomDocument(schema, source);
        const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
        const body = JSON.stringify({ query });
        const { status, text } = await send({ method: 'POST', path: '/graphql', headers, body });
        return { status, problems: graphqlProblems(status, text), input: `${query} -> ${text}` };
      }),
    sockets: (count) =>
      repeat(count, SOCKETS, async () => {
        const bytes = randomInput(random);
        const responses = await sendBytes(Number.parseInt(new URL(url).port, 10), bytes);
        const input = JSON.stringify(bytes.toString('latin1'));
        if (responses === 'not ended') return { status: 'not ended', problems: ['the connection stayed open'], input };
        const problems = responses.flatMap(({ status, body }) => byteProblems(status, body));
        return { status: responses[0]?.status ?? 'closed', problems, input };
      }),
    close: () => pool.destroy(),
  };
}

/** True for a path with an empty part, or with malformed percent-encoding. It is refused with 404 or as malformed. */
function isOfNoRoute(pathname: string): boolean {
  try {
    return pathname.split('/').slice(1).map(decodeURIComponent).includes('');
  } catch {
    return true;
  }
}

/** Responses outside of the REST contract: unknown paths, and methods that a path does not have. They are refused. */
const problemsOfNoRoute = ({
  method,
  status,
  text,
}: {
  method: string;
  status: number;
  text: string;
}): readonly string[] =>
  method === 'HEAD' || method === 'OPTIONS'
    ? []
    : [...(status < 400 ? [`${String(status)} without a route`] : []), ...envelopeProblems(status, text)];

interface Checked {
  readonly status: number | string;
  readonly problems: readonly string[];
  readonly input: string;
}

/** Sends so many inputs, several at a time. */
async function repeat(count: number, lanes: number, send: () => Promise<Checked>): Promise<Findings> {
  const findings: Findings = { statuses: new Map(), problems: [] };
  let sent = 0;
  const lane = async (): Promise<void> => {
    while ((sent += 1) <= count) {
      const { status, problems, input } = await send().catch((error: unknown) => ({
        status: 'no response',
        problems: [`no response: ${String(error)}`],
        input: '',
      }));
      findings.statuses.set(String(status), (findings.statuses.get(String(status)) ?? 0) + 1);
      findings.problems.push(...problems.map((problem) => `${problem} ${input.slice(0, 1500)}`));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return findings;
}
