import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { cpfOf, primaryEvidence } from '../../scripts/demo/person-evidence';
import { PROJECT_ROOT } from '../../src/config/project-root';
import { customerNamed, runningService } from '../setup/running-service';
import { expectDescribed } from './expect-described';

const DOCUMENT = path.join(PROJECT_ROOT, 'docs/openapi.json');
const PACKAGES = path.join(PROJECT_ROOT, 'node_modules');
const COMPILER_OPTIONS = {
  target: 'es2022',
  module: 'node16',
  moduleResolution: 'node16',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  types: ['node'],
};

/** Compiles a program, which takes minutes beside other busy processes. */
const TIMEOUT_MS = 300_000;

const service = runningService();
const directory = mkdtempSync(path.join(tmpdir(), 'afluente-client-'));
const inDirectory = (name: string): string => path.join(directory, name);
const node = (...args: readonly string[]) => promisify(execFile)(process.execPath, args, { cwd: directory });

beforeAll(() => {
  symlinkSync(PACKAGES, inDirectory('node_modules'));
  copyFileSync(path.join(__dirname, 'client/program.ts'), inDirectory('program.ts'));
  writeFileSync(
    inDirectory('tsconfig.json'),
    JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: ['program.ts'] }),
  );
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** The routes of the document, such as `GET /actions/{id}`. */
function documentedRoutes(): readonly string[] {
  const { paths } = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as { paths: Record<string, Record<string, object>> };
  return Object.entries(paths).flatMap(([route, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${route}`),
  );
}

const newAddress = (): string => privateKeyToAddress(generatePrivateKey());

/** What the program needs to call every route. */
function clientInput(): object {
  const { slug, chainId, rpcUrl, tokens } = service.chains.find((chain) => chain.slug === 'devnet')!;
  const { apiKey, bearer } = customerNamed(service, 'load');
  const evidence = primaryEvidence(cpfOf('')) as { readonly documents: { readonly front: object } };
  return {
    baseUrl: service.baseUrl,
    apiKey,
    bearer: bearer.viewer,
    chain: { slug, chainId, rpcUrl },
    tokenIn: tokens['USDC'],
    tokenOut: tokens['WETH'],
    wallet: service.accounts[9]!.address,
    person: {
      walletAddress: newAddress(),
      otherWallet: newAddress(),
      cpf: cpfOf(randomUUID()),
      image: evidence.documents.front,
    },
  };
}

interface ClientResponse {
  readonly route: string;
  readonly status: number;
  readonly body: any;
}

async function runProgram(): Promise<readonly ClientResponse[]> {
  const running = node('program.js');
  running.child.stdin?.end(JSON.stringify(clientInput()));
  const { stdout } = await running;
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ClientResponse);
}

it(
  'a client whose types are generated from the document compiles, and calls every route with success',
  async () => {
    await node(path.join(PACKAGES, 'openapi-typescript/bin/cli.js'), DOCUMENT, '--output', inDirectory('api.ts'));
    // Its output shows the type errors.
    const compiled = await node(path.join(PACKAGES, 'typescript/bin/tsc'), '-p', '.').catch((error: unknown) => error);
    expect(compiled).toMatchObject({ stdout: '' });

    const responses = await runProgram();
    expect(responses.map(({ route }) => route).sort()).toEqual([...documentedRoutes()].sort());
    for (const { route, status, body } of responses) {
      const [method = '', target = ''] = route.split(' ');
      expectDescribed({ method, url: service.baseUrl + target, status, body });
    }
    // The transfer has no bridge, so nothing can be refunded, and it is no order, so it cannot be cancelled.
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused).toMatchObject([
      { route: 'POST /actions/{id}/refund', body: { error: { code: 'INVALID_ACTION_TYPE' } } },
      { route: 'GET /actions/{id}/cancel', body: { error: { code: 'INVALID_ACTION_TYPE' } } },
    ]);
  },
  TIMEOUT_MS,
);
