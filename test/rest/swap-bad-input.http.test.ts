import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { CATALOG, type ErrorCode } from '../../src/errors/catalog';
import { customerNamed, rest, type RestResponse, runningService } from '../setup/running-service';

const service = runningService();
const devnet = service.chains.find(({ slug }) => slug === 'devnet')!;
const USDC = devnet.tokens['USDC']!;
const WETH = devnet.tokens['WETH']!;
const wallet = service.accounts[1]!.address;
const flipped = (address: string): string => address.replace(/[a-f](?=[^a-f]*$)/, (letter) => letter.toUpperCase());

const priced = {
  originChain: 'devnet',
  destinationChain: 'devnet',
  tokenIn: USDC,
  tokenOut: WETH,
  amountIn: '1000000',
} as const;

const quoteWith = (changes: Readonly<Record<string, string | undefined>>): Promise<RestResponse> => {
  const given: Record<string, string | undefined> = { ...priced, ...changes };
  const entries = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return rest(`/v2/swap/quote?${new URLSearchParams(entries).toString()}`);
};

function expectCode({ status, body }: RestResponse, code: ErrorCode): void {
  expect(body).toEqual({
    error: {
      code,
      message: expect.any(String),
      ...('details' in body.error ? { details: expect.anything() } : {}),
    },
  });
  expect(status).toBe(CATALOG[code].status);
}

const pathsOf = ({ body }: RestResponse): readonly string[] =>
  body.error.details.errors.map((issue: { path: string }) => issue.path);

describe('GET /v2/swap/quote', () => {
  it.each([
    ['an unknown chain', { originChain: 'atlantis' }, ['originChain']],
    ['an unknown chain id', { destinationChain: undefined, chainIdOut: '999999999' }, ['chainIdOut']],
    ['a token that is not a contract', { tokenOut: '0x000000000000000000000000000000000000dEaD' }, ['tokenOut']],
    ['a token that is not an address', { tokenIn: 'USDC' }, ['tokenIn']],
    ['the same token in and out', { tokenOut: USDC }, ['tokenOut']],
    ['an amount of zero', { amountIn: '0' }, ['amountIn']],
    ['an amount in exponent notation', { amountIn: '1e18' }, ['amountIn']],
    ['a signed amount', { amountIn: '+1' }, ['amountIn']],
    ['a hexadecimal amount', { amountIn: '0x10' }, ['amountIn']],
    ['an amount with leading zeros', { amountIn: '007' }, ['amountIn']],
    ['full-width digits', { amountIn: '１０００' }, ['amountIn']],
    ['an amount of 79 digits', { amountIn: '1'.repeat(79) }, ['amountIn']],
    ['an amount over 2^256 - 1', { amountIn: (2n ** 256n).toString() }, ['amountIn']],
    [
      'an address with a wrong checksum',
      { originAddress: flipped(wallet), destinationAddress: wallet },
      ['originAddress'],
    ],
    [
      'a Solana address on an EVM chain',
      { destinationAddress: 'So11111111111111111111111111111111111111112' },
      ['destinationAddress'],
    ],
    ['a slippage that is not a number', { slippage: 'half' }, ['slippage']],
    ['an invalid boolean', { feeSponsorship: 'maybe' }, ['feeSponsorship']],
    ['an invalid enum value', { output: 'calldata' }, ['output']],
    [
      'custody output without an account',
      { output: 'custody', originAddress: wallet, destinationAddress: wallet },
      ['accountId'],
    ],
    ['an invalid webhook URL', { webhookURL: 'nowhere' }, ['webhookURL']],
    ['originChain and chainIdIn that differ', { chainIdIn: '31338' }, ['chainIdIn']],
    ['a NUL in an address', { destinationAddress: `${wallet}\u0000` }, ['destinationAddress']],
  ])('returns 422 naming the parameter for %s', async (_, changes, paths) => {
    const response = await quoteWith(changes);
    expectCode(response, 'VALIDATION_ERROR');
    for (const name of paths) expect(pathsOf(response)).toContain(name);
  });

  it('reports every problem of a request at once', async () => {
    const response = await quoteWith({
      tokenIn: undefined,
      amountIn: '-5',
      output: 'calldata',
      feeSponsorship: 'maybe',
    });
    expectCode(response, 'VALIDATION_ERROR');
    expect([...pathsOf(response)].sort()).toEqual(['amountIn', 'feeSponsorship', 'output', 'tokenIn']);
  });

  it.each<[string, Record<string, string | undefined>, ErrorCode]>([
    ['both amounts', { amountOut: '1' }, 'INVALID_AMOUNT_PARAMS'],
    ['neither amount', { amountIn: undefined }, 'MISSING_AMOUNT_PARAMS'],
    ['an empty amount', { amountIn: '' }, 'MISSING_AMOUNT_PARAMS'],
    ['a slippage under 0.0001', { slippage: '0.00009' }, 'INVALID_SLIPPAGE'],
    ['a slippage over 0.5', { slippage: '0.500001' }, 'INVALID_SLIPPAGE'],
    ['an unknown provider', { preferredProvider: 'unknown' }, 'INVALID_PREFERRED_PROVIDER'],
    [
      'a chain that the deployment does not serve',
      {
        originChain: 'ethereum',
        destinationChain: 'ethereum',
        tokenIn: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
        tokenOut: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
      },
      'NO_ROUTE_FOUND',
    ],
  ])('returns the documented code for %s', async (_, changes, code) => {
    expectCode(await quoteWith(changes), code);
  });

  it.each(['0.0001', '0.5'])('accepts the bound %s of slippage', async (slippage) => {
    const response = await quoteWith({ slippage });
    expect(response.status).toBe(200);
    expect(response.body.quote.slippage.toString()).toBe(slippage);
  });

  it('ignores unknown parameters, and lists them in a header', async () => {
    const response = await quoteWith({ markupBps: '10', sender: wallet });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-ignored-parameters')?.split(/,\s*/).sort()).toEqual(['markupBps', 'sender']);
  });

  it('finds a chain by its alias, its id or its slug in any case', async () => {
    expect((await quoteWith({ originChain: 'DEVNET', destinationChain: '31337' })).status).toBe(200);
    const byId = await quoteWith({
      originChain: undefined,
      destinationChain: undefined,
      chainIdIn: '31337',
      chainIdOut: '31337',
    });
    expect(byId.status).toBe(200);
    expect(byId.body.quote).toMatchObject({ originChain: 'devnet', chainIdIn: 31_337 });
  });

  it('creates no action for a prefetch or a HEAD', async () => {
    const query = new URLSearchParams({ ...priced, originAddress: wallet, destinationAddress: wallet }).toString();
    const prefetch = await rest(`/v2/swap/quote?${query}`, { headers: { 'sec-purpose': 'prefetch' } });
    expectCode(prefetch, 'VALIDATION_ERROR');
    const before = await rest(`/actions?walletAddress=${wallet}`);
    await fetch(`${service.baseUrl}/v2/swap/quote?${query}`, {
      method: 'HEAD',
      headers: { 'x-api-key': customerNamed(service, 'load').apiKey },
    });
    const after = await rest(`/actions?walletAddress=${wallet}`);
    expect(after.body.pagination.total).toBe(before.body.pagination.total);
  });
});

describe('POST /v2/swap/bytecode', () => {
  const body = { originAddress: wallet, destinationAddress: wallet };
  const newQuoteId = async (): Promise<string> => (await quoteWith({})).body.quote.quoteId;

  it('returns the same 404 for an unknown quote and for a quote of another customer', async () => {
    const quoteId = await newQuoteId();
    const apiKey = customerNamed(service, 'other').apiKey;
    const foreign = await rest('/v2/swap/bytecode', { body: { ...body, quoteId }, apiKey });
    expectCode(foreign, 'QUOTE_NOT_FOUND');
    const absentId = '01890a5d-ac96-774b-bcce-b302099a8057';
    const absent = await rest('/v2/swap/bytecode', { body: { ...body, quoteId: absentId }, apiKey });
    expect(JSON.stringify(foreign.body).replaceAll(quoteId, '')).toBe(
      JSON.stringify(absent.body).replaceAll(absentId, ''),
    );
  });

  it('returns QUOTE_EXPIRED after the deadline', async () => {
    const quoteId = await newQuoteId();
    const directory = process.env['AFLUENTE_TEST_SERVICE']!;
    const { DATABASE_URL } = JSON.parse(readFileSync(path.join(directory, 'environment.json'), 'utf8'));
    const database = new Client({ connectionString: DATABASE_URL });
    await database.connect();
    await database.query(`UPDATE "Quote" SET deadline = now() - interval '1 second' WHERE id = $1`, [quoteId]);
    await database.end();
    expectCode(await rest('/v2/swap/bytecode', { body: { ...body, quoteId } }), 'QUOTE_EXPIRED');
  });

  it('creates one action for fifty parallel requests with the same quote', async () => {
    const quoteId = await newQuoteId();
    const requested = async (): Promise<RestResponse> => {
      const response = await rest('/v2/swap/bytecode', { body: { ...body, quoteId } });
      if (response.status !== 503) return response;
      // A service without free capacity refuses a request before it is handled.
      expectCode(response, 'SERVICE_UNAVAILABLE');
      await wait(Number(response.headers.get('retry-after')) * 1000);
      return requested();
    };
    const responses = await Promise.all(Array.from({ length: 50 }, requested));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(responses.map(({ body: { id } }) => id)).size).toBe(1);
  });

  it('returns QUOTE_VALIDATION_ERROR when a repeated request has another body', async () => {
    const quoteId = await newQuoteId();
    expect((await rest('/v2/swap/bytecode', { body: { ...body, quoteId } })).status).toBe(200);
    const other = { quoteId, originAddress: wallet, destinationAddress: service.accounts[2]!.address };
    expectCode(await rest('/v2/swap/bytecode', { body: other }), 'QUOTE_VALIDATION_ERROR');
  });

  it('returns PIX_THIRD_PARTY_QUOTE_MISMATCH when thirdParty differs from the quote', async () => {
    const quoteId = await newQuoteId();
    const response = await rest('/v2/swap/bytecode', { body: { ...body, quoteId, thirdParty: true } });
    expectCode(response, 'PIX_THIRD_PARTY_QUOTE_MISMATCH');
  });

  it('reports every problem of a body at once', async () => {
    const response = await rest('/v2/swap/bytecode', { body: { quoteId: 'x', output: 'y', thirdParty: 'z' } });
    expectCode(response, 'VALIDATION_ERROR');
    expect([...pathsOf(response)].sort()).toEqual(expect.arrayContaining(['output', 'quoteId', 'thirdParty']));
  });

  it.each([
    ['a body that is not JSON', '{"quoteId":'],
    ['a body that is an array', '[]'],
    ['a body with a __proto__ key', '{"__proto__":{"quoteId":"x"}}'],
    ['a body with a constructor.prototype key', '{"constructor":{"prototype":{"quoteId":"x"}}}'],
  ])('returns 422 for %s', async (_, text) => {
    expectCode(await rest('/v2/swap/bytecode', { body: text }), 'VALIDATION_ERROR');
    expect(({} as Record<string, unknown>)['quoteId']).toBeUndefined();
  });

  it('returns 413 with VALIDATION_ERROR for a body of 2 MB', async () => {
    const response = await rest('/v2/swap/bytecode', { body: { quoteId: 'x'.repeat(2_000_000) } });
    expect(response.status).toBe(413);
    expect(response.body.error.code).toBe('VALIDATION_ERROR');
  });
});

describe('every path', () => {
  it('returns 405 in the error envelope for a wrong method, with the allowed methods', async () => {
    const response = await rest('/v2/swap/quote', { method: 'DELETE' });
    expectCode(response, 'METHOD_NOT_ALLOWED');
    expect(response.headers.get('allow')).toContain('GET');
  });

  it('returns 404 in the error envelope for an unknown path', async () => {
    expectCode(await rest('/v3/swap/quote'), 'NOT_FOUND');
  });

  it.each(['/actions/not-a-uuid', '/v2/swap/status/not-a-uuid'])(
    'returns 422 for the malformed id of %s',
    async (target) => {
      const response = await rest(target);
      expectCode(response, 'VALIDATION_ERROR');
      expect(pathsOf(response)).toEqual(['id']);
    },
  );

  it.each([
    '01890a5d-ac96-774b-bcce-b302099a8057',
    '00000000-0000-0000-0000-000000000000',
    '1'.repeat(8) + '-1111'.repeat(3) + '-' + '1'.repeat(12),
  ])('returns 404 for %s, an id of no action and no quote', async (id) => {
    const body = { quoteId: id, originAddress: wallet, destinationAddress: wallet };
    expectCode(await rest(`/actions/${id}`), 'ACTION_NOT_FOUND');
    expectCode(await rest(`/v2/swap/status/${id}`), 'QUOTE_NOT_FOUND');
    expectCode(await rest('/v2/swap/bytecode', { body }), 'QUOTE_NOT_FOUND');
  });

  it.each(['page=0', 'limit=0', 'limit=101', 'page=1.5', 'page=abc', 'sortOrder=up', 'status=DONE'])(
    'returns 422 for /actions with %s',
    async (query) => {
      const response = await rest(`/actions?walletAddress=${wallet}&${query}`);
      expectCode(response, 'VALIDATION_ERROR');
      expect(pathsOf(response)).toEqual([query.split('=')[0]]);
    },
  );

  it.each<[string, Record<string, string>, ErrorCode]>([
    ['no credential', { 'x-api-key': '' }, 'INVALID_API_KEY'],
    ['an unknown key', { 'x-api-key': 'sk_live_unknown_unknown' }, 'INVALID_API_KEY'],
  ])('returns the documented code for %s', async (_, headers, code) => {
    expectCode(await rest(`/actions?walletAddress=${wallet}`, { headers }), code);
  });

  it('returns AUTHENTICATION_REQUIRED when no credential header is sent', async () => {
    const response = await fetch(`${service.baseUrl}/actions?walletAddress=${wallet}`);
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: { code: 'AUTHENTICATION_REQUIRED' } });
  });

  it('returns a request id, and echoes a valid one', async () => {
    expect((await rest('/health')).headers.get('x-request-id')).toMatch(/^[\w.-]{1,128}$/);
    const echoed = await rest('/health', { headers: { 'x-request-id': 'trace-42' } });
    expect(echoed.headers.get('x-request-id')).toBe('trace-42');
  });
});
