import { randomUUID } from 'node:crypto';
import { createWalletClient, type Hex, http, parseUnits, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { primaryEvidence, SECONDARY_DOCUMENTS, secondarySubmission } from '../../scripts/demo/person-evidence';
import { until } from '../resilience/until';
import { customerNamed } from '../setup/running-service';
import { bankOf, newSecrets, ofPerson, readableIn, type Secrets } from './canary-secrets';
import { type ObservedService, startObservedService } from './observed-service';

let observed: ObservedService;
beforeAll(async () => {
  observed = await startObservedService();
});
afterAll(() => observed.stop());

const accountAt = (index: number): string => observed.described.accounts[index]!.address;
const keyOf = (): string => customerNamed(observed.described, 'load').apiKey;

async function call(target: string, body?: object, headers: Record<string, string> = {}): Promise<any> {
  const response = await fetch(observed.described.baseUrl + target, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-api-key': keyOf(), 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.json();
}

/** Sends a request that must succeed. */
async function expectSuccess(...request: Parameters<typeof call>): Promise<any> {
  const body = await call(...request);
  if (body.error !== undefined || body.errors !== undefined) throw new Error(JSON.stringify(body));
  return body;
}

const repeated = () => ({ 'idempotency-key': randomUUID() });
const quotePath = (fields: object): string =>
  `/v2/swap/quote?${new URLSearchParams(fields as Record<string, string>).toString()}`;
const quote = (fields: object) => expectSuccess(quotePath(fields));

async function verified(secrets: Secrets, walletAddress: string): Promise<string> {
  const { cpf, email } = secrets;
  const { kycUserId } = await expectSuccess('/api/v1/kyc/sessions', { cpf, email, walletAddress }, repeated());
  const session = `/api/v1/kyc/sessions/${kycUserId}`;
  await expectSuccess(`${session}/submit`, ofPerson(primaryEvidence(cpf), secrets), repeated());
  await expectSuccess(`${session}/submit`, ofPerson(secondarySubmission(cpf), secrets), repeated());
  for (const document of SECONDARY_DOCUMENTS)
    await expectSuccess(`${session}/documents`, ofPerson(document, secrets), repeated());
  const approvedAt = async (rampProvider: string): Promise<boolean> => {
    const status = await expectSuccess(`/api/v1/kyc/status?kycUserId=${kycUserId}&rampProvider=${rampProvider}`);
    return (rampProvider === 'primary' ? status.status : status.ramps.secondary?.status) === 'approved';
  };
  for (const ramp of ['primary', 'secondary']) await until(`${ramp} approves`, () => approvedAt(ramp));
  for (const rampProvider of ['primary', 'secondary']) {
    const unlock = { kycUserId, currency: 'USD', rampProvider, ...bankOf(secrets) };
    expect(await expectSuccess('/api/v1/kyc/currency-unlock', unlock, repeated())).toMatchObject({ usdEnabled: true });
  }
  return kycUserId;
}

interface OffRamp {
  readonly id: string;
  readonly transactions: readonly { readonly to: Hex; readonly data: Hex }[];
}

const GRAPHQL = `mutation ($quoteId: UUID!, $originAddress: String!, $pixKey: String!) {
  createSwapTransaction(quoteId: $quoteId, originAddress: $originAddress, pixKey: $pixKey) { id transactions { to data } }
}`;

/** Off-ramps of every form: with the quote, after it, through GraphQL; to a Pix key, a BR Code and a bank account. */
async function offRamps(secrets: Secrets, originAddress: string): Promise<readonly OffRamp[]> {
  const { tokens } = observed.described.chains.find(({ slug }) => slug === 'devnet')!;
  const toFiat = { originChain: 'devnet', destinationChain: 'fiat', tokenOut: 'BRL' };
  const brla = { ...toFiat, tokenIn: tokens['BRLA']!, amountIn: parseUnits('100', 18).toString() };
  const usdc = { ...toFiat, tokenIn: tokens['USDC']!, amountIn: parseUnits('100', 6).toString() };
  const { pixKey, otherKey, brCode } = secrets;
  const priced = async (fields: object): Promise<string> => (await quote(fields)).quote.quoteId;
  const bytecode = async (fields: object, body: object) =>
    expectSuccess('/v2/swap/bytecode', { quoteId: await priced(fields), originAddress, ...body }, repeated());
  const secondary = { ...usdc, rampProvider: 'secondary' };
  const variables = { quoteId: await priced(brla), originAddress, pixKey };
  const { data } = await expectSuccess('/graphql', { query: GRAPHQL, variables });
  return [
    await quote({ ...brla, originAddress, pixKey }),
    await bytecode(brla, { pixKey: otherKey }),
    await bytecode(brla, { pixKey: brCode }),
    data.createSwapTransaction,
    await bytecode(secondary, { pixKey }),
    await quote({ ...usdc, tokenOut: 'USD', originAddress, ...bankOf(secrets) }),
    await quote({ ...secondary, tokenOut: 'USD', originAddress, ...bankOf(secrets) }),
  ];
}

const FROM_FIAT = { originChain: 'fiat', destinationChain: 'devnet', amountIn: '10000' };

/** On-ramps, each requested twice with one idempotency key. Returns their payment instructions. */
async function onRamps(wallet: string): Promise<readonly string[]> {
  const { tokens } = observed.described.chains.find(({ slug }) => slug === 'devnet')!;
  const parts = { tokenIn: 'USD', tokenOut: tokens['USDC']! };
  const words: string[] = [];
  for (const fields of [
    { tokenIn: 'BRL', tokenOut: tokens['BRLA']! },
    parts,
    { ...parts, rampProvider: 'secondary' },
  ]) {
    const { quoteId } = (await quote({ ...FROM_FIAT, ...fields })).quote;
    const request = [
      '/v2/swap/bytecode',
      { quoteId, originAddress: wallet, destinationAddress: wallet },
      repeated(),
    ] as const;
    const response = await expectSuccess(...request);
    expect(await expectSuccess(...request)).toEqual(response);
    const { pix, ach, wire = ach } = response.paymentInstructions;
    words.push(...(pix === undefined ? [wire.accountNumber] : [pix.copyPaste, pix.qrCodeUrl]));
  }
  return words;
}

/** Requests with the same secrets that fail in different ways. */
async function failures(secrets: Secrets, kycUserId: string): Promise<void> {
  const { cpf, pixKey, brCode, email } = secrets;
  const bank = bankOf(secrets);
  const query = `{ swapQuote(tokenIn: "x", tokenOut: "BRL", pixKey: "${pixKey}", bankAccountNumber: "${bank.bankAccountNumber}", wrong: 1) { id } }`;
  const responses = await Promise.all([
    call('/api/v1/kyc/sessions', { cpf, email, walletAddress: pixKey }),
    call(`/api/v1/kyc/sessions/${kycUserId}/submit`, { ...ofPerson(primaryEvidence(cpf), secrets), liveness: pixKey }),
    call('/v2/swap/bytecode', { quoteId: pixKey, originAddress: email, pixKey: `${brCode}0` }),
    call(`/v2/swap/status/${encodeURIComponent(pixKey)}?txHash=${cpf}`),
    call(`/api/v1/kyc/${cpf}/wallets`, { walletAddress: bank.bankAccountNumber }),
    call(`/nowhere/${encodeURIComponent(email)}?cpf=${cpf}`),
    call('/graphql', { query }),
    call(
      quotePath({
        originChain: 'devnet',
        destinationChain: 'fiat',
        tokenOut: 'USD',
        ...bank,
        bankRoutingNumber: pixKey,
      }),
    ),
    call(
      quotePath({
        originChain: 'nowhere',
        destinationChain: 'fiat',
        tokenOut: 'BRL',
        pixKey: `${pixKey}!`,
        unknown: cpf,
      }),
    ),
    call(`/callbacks/secondary-ramp/${'c3'.repeat(32)}`, { event_id: pixKey, event_resource_id: cpf }),
  ]);
  for (const { error, errors } of responses) expect(error ?? errors?.[0]).toBeDefined();
}

/** Requests while both ramps fail or refuse. The submission of `rejectedPerson` never succeeds. */
async function brokenRamps(
  secrets: Secrets,
  { kycUserId, address, rejectedPerson }: { kycUserId: string; address: string; rejectedPerson: Secrets },
): Promise<void> {
  const { cpf, email } = rejectedPerson;
  const opened = await expectSuccess('/api/v1/kyc/sessions', { cpf, email, walletAddress: accountAt(1) }, repeated());
  const submit = () =>
    call(`/api/v1/kyc/sessions/${opened.kycUserId}/submit`, ofPerson(primaryEvidence(cpf), rejectedPerson), repeated());
  const [brla, usdc] = ['BRLA', 'USDC'].map((symbol) => observed.described.chains[0]!.tokens[symbol]!);
  const payout = { originChain: 'devnet', destinationChain: 'fiat', tokenOut: 'BRL', originAddress: address };
  const { pixKey, brCode } = secrets;
  const control = async (failWith: number | null): Promise<void> => {
    for (const emulator of ['primaryRamp', 'secondaryRamp'])
      await fetch(`${observed.described.emulators[emulator]!}/_control`, {
        method: 'POST',
        body: JSON.stringify({ failWith }),
      });
  };
  for (const status of [500, 400, 401]) {
    await control(status);
    const responses = await Promise.all([
      call(quotePath({ ...payout, tokenIn: brla, amountIn: parseUnits('100', 18), pixKey })),
      call(quotePath({ ...payout, tokenIn: brla, amountIn: parseUnits('100', 18), pixKey: brCode })),
      call(quotePath({ ...payout, tokenIn: usdc, amountIn: '50000000', pixKey, rampProvider: 'secondary' })),
      call(quotePath({ ...payout, tokenIn: usdc, amountIn: '50000000', tokenOut: 'USD', ...bankOf(secrets) })),
      submit(),
      call('/api/v1/kyc/currency-unlock', {
        kycUserId,
        currency: 'USD',
        ...bankOf(secrets),
        bankAccountNumber: `${secrets.accountNumber}9`,
      }),
    ]);
    for (const { error } of responses) expect(error).toBeDefined();
  }
  await control(null);
}

it('personal data is not readable in the log, the jobs, or any table or file of the database', async () => {
  const { chains, accounts } = observed.described;
  const signer = createWalletClient({
    account: privateKeyToAccount(accounts[0]!.privateKey),
    transport: http(chains[0]!.rpcUrl),
    pollingInterval: 100,
  }).extend(publicActions);
  const { address } = signer.account;
  const secrets = newSecrets();
  const kycUserId = await verified(secrets, address);
  const opened = await offRamps(secrets, address);
  const payments = await onRamps(address);
  await failures(secrets, kycUserId);
  const rejectedPerson = newSecrets();
  await brokenRamps(secrets, { kycUserId, address, rejectedPerson });
  for (const { transactions } of opened) {
    for (const { to, data } of transactions) {
      const hash = await signer.sendTransaction({ chain: null, gas: 500_000n, to, data });
      await signer.waitForTransactionReceipt({ hash });
    }
  }
  const statusOf = async ({ id }: OffRamp): Promise<string> => (await call(`/actions/${id}`)).status;
  await until('all payouts have settled', async () =>
    (await Promise.all(opened.map(statusOf))).every((each) => each === 'SUCCESS'),
  );

  // The ramps received the secrets, so the searches below are meaningful.
  const { picture, brCode, brKey, note, ...personal } = secrets;
  const received = observed.emulatorFile('primary-ramp') + observed.emulatorFile('secondary-ramp');
  expect(
    readableIn(received, { cpf: personal.cpf, pixKey: personal.pixKey, accountNumber: personal.accountNumber }),
  ).toHaveLength(3);
  const words = {
    ...Object.fromEntries(payments.entries()),
    ...personal,
    brCode,
    brKey,
    note,
    picture: picture.slice(40, 100),
    apiKey: keyOf(),
  };
  const tables = await observed.dump();
  expect([...tables.keys()]).toEqual(expect.arrayContaining(['public."RampTicket"', 'public."KycProfile"']));
  expect([...tables.keys()].filter((name) => name.startsWith('graphile_worker')).length).toBeGreaterThan(0);
  expect(readableIn([...tables.values()].join('\n'), { address: address.toLowerCase() })).toEqual(['address']);
  for (const [name, rows] of tables) expect([name, readableIn(rows, words)]).toEqual([name, []]);
  // Stored responses of idempotent calls identify no person.
  const stored = tables.get('public."IdempotentCall"')!;
  expect([stored.length > 0, readableIn(stored, { kycUserId, address })]).toEqual([true, []]);
  expect(observed.log()).toContain('"level":20');
  expect(observed.log()).toContain('/v2/swap/bytecode');
  expect(readableIn(observed.log(), words)).toEqual([]);
  const files = observed.databaseFiles();
  expect([...files.values()].some((bytes) => readableIn(bytes, { address }).length > 0)).toBe(true);
  for (const [name, bytes] of files) expect([name, readableIn(bytes, words)]).toEqual([name, []]);
});
