import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { createWalletClient, type Hex, http, parseUnits, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { brCodeOf } from '../../devnet/emulators/primary-ramp/br-code';
import {
  BANK_FIELDS,
  cpfOf,
  primaryEvidence,
  SECONDARY_DOCUMENTS,
  secondarySubmission,
} from '../../scripts/demo/person-evidence';
import { png } from '../kyc/images';
import { until } from '../resilience/until';
import { customerNamed } from '../setup/running-service';
import { type ObservedService, startObservedService } from './observed-service';

jest.setTimeout(120_000);

let observed: ObservedService;
beforeAll(async () => {
  observed = await startObservedService();
});
afterAll(() => observed.stop());

const letters = (): string => randomBytes(6).toString('hex').replaceAll(/\d/g, 'q');
const digits = (length: number): string => Array.from({ length }, () => String(randomInt(1, 10))).join('');

/** Nine digits whose sum, weighted 3, 7, 1, is a multiple of ten, as banks in the United States have them. */
function routingNumber(): string {
  const start = digits(8);
  const weights = [3, 7, 1, 3, 7, 1, 3, 7];
  const sum = weights.reduce((total, weight, index) => total + weight * Number(start[index]), 0);
  return start + String((10 - (sum % 10)) % 10);
}

/** What is told to the service by its customer, and may be nowhere in it that can be read. */
function newSecrets() {
  const cpf = cpfOf(randomUUID());
  const note = `picture-${randomUUID()}`;
  const brKey = `shop.${letters()}@example.com`;
  return {
    ...{ cpf, firstName: `Zulmira${letters()}`, lastName: `Quixada${letters()}`, email: `${letters()}@example.com` },
    ...{ phone: `+55119${digits(8)}`, birthDate: `19${randomInt(60, 90)}-0${randomInt(1, 10)}-1${randomInt(0, 9)}` },
    ...{ street: `Rua ${letters()}`, accountNumber: digits(15), routing: routingNumber(), bank: `Banco ${letters()}` },
    ...{
      pixKey: `${letters()}@example.org`,
      otherKey: randomUUID(),
      note,
      picture: png(Buffer.from(note)).toString('base64'),
    },
    ...{ brKey, brCode: brCodeOf({ pixKey: brKey, amount: '100.00', transactionId: letters() }) },
  };
}

type Secrets = ReturnType<typeof newSecrets>;

/** Evidence as demonstrations hand it in, of another person. */
function ofPerson<Body extends object>(body: Body, secrets: Secrets): Body {
  const { firstName, lastName, phone, birthDate, street, picture, email } = secrets;
  const text = JSON.stringify(body)
    .replaceAll('Ana Beatriz Lima', `${firstName} ${lastName}`)
    .replaceAll('Ana Beatriz', firstName)
    .replaceAll('"Lima"', `"${lastName}"`)
    .replaceAll('+5511999990000', phone)
    .replaceAll('1990-01-31', birthDate)
    .replaceAll('Avenida Paulista', street)
    .replaceAll(/"ana\.\d+@example\.com"/g, `"${email}"`)
    .replaceAll(/"base64":"[^"]+"/g, `"base64":"${picture}"`);
  return JSON.parse(text.replaceAll('image/jpeg', 'image/png')) as Body;
}

const bankOf = ({ accountNumber, routing, bank, firstName, lastName, street }: Secrets) => ({
  ...{ ...BANK_FIELDS, bankAccountNumber: accountNumber, bankRoutingNumber: routing, bankName: bank },
  ...{ bankBeneficiaryName: `${firstName} ${lastName}`, beneficiaryStreetLine1: street },
});

const keyOf = (): string => customerNamed(observed.described, 'load').apiKey;

async function call(target: string, body?: object, headers: Record<string, string> = {}): Promise<any> {
  const response = await fetch(observed.described.baseUrl + target, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-api-key': keyOf(), 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.json();
}

/** A call that has to go well. */
async function well(...request: Parameters<typeof call>): Promise<any> {
  const body = await call(...request);
  if (body.error !== undefined || body.errors !== undefined) throw new Error(JSON.stringify(body));
  return body;
}

const repeated = () => ({ 'idempotency-key': randomUUID() });
const quotePath = (fields: object): string =>
  `/v2/swap/quote?${new URLSearchParams(fields as Record<string, string>).toString()}`;
const quote = (fields: object) => well(quotePath(fields));

async function verified(secrets: Secrets, walletAddress: string): Promise<string> {
  const { cpf, email } = secrets;
  const { kycUserId } = await well('/api/v1/kyc/sessions', { cpf, email, walletAddress }, repeated());
  const session = `/api/v1/kyc/sessions/${kycUserId}`;
  await well(`${session}/submit`, ofPerson(primaryEvidence(cpf), secrets), repeated());
  await well(`${session}/submit`, ofPerson(secondarySubmission(cpf), secrets));
  for (const document of SECONDARY_DOCUMENTS) await well(`${session}/documents`, ofPerson(document, secrets));
  const approvedAt = async (rampProvider: string): Promise<boolean> => {
    const status = await well(`/api/v1/kyc/status?kycUserId=${kycUserId}&rampProvider=${rampProvider}`);
    return (rampProvider === 'primary' ? status.status : status.ramps.secondary?.status) === 'approved';
  };
  for (const ramp of ['primary', 'secondary']) await until(`${ramp} approves`, () => approvedAt(ramp));
  for (const rampProvider of ['primary', 'secondary']) {
    const unlock = { kycUserId, currency: 'USD', rampProvider, ...bankOf(secrets) };
    expect(await well('/api/v1/kyc/currency-unlock', unlock, repeated())).toMatchObject({ usdEnabled: true });
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

/** Money out in every way that there is: with the quote, after it, through GraphQL; to a key, a code, and a bank account. */
async function offRamps(secrets: Secrets, originAddress: string): Promise<readonly OffRamp[]> {
  const { tokens } = observed.described.chains.find(({ slug }) => slug === 'devnet')!;
  const toFiat = { originChain: 'devnet', destinationChain: 'fiat', tokenOut: 'BRL' };
  const brla = { ...toFiat, tokenIn: tokens['BRLA']!, amountIn: parseUnits('100', 18).toString() };
  const usdc = { ...toFiat, tokenIn: tokens['USDC']!, amountIn: parseUnits('100', 6).toString() };
  const { pixKey, otherKey, brCode } = secrets;
  const priced = async (fields: object): Promise<string> => (await quote(fields)).quote.quoteId;
  const bytecode = async (fields: object, body: object) =>
    well('/v2/swap/bytecode', { quoteId: await priced(fields), originAddress, ...body }, repeated());
  const secondary = { ...usdc, rampProvider: 'secondary' };
  const variables = { quoteId: await priced(brla), originAddress, pixKey };
  const { data } = await well('/graphql', { query: GRAPHQL, variables });
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

/** Requests that go wrong in as many ways, with the same secrets. */
async function failures(secrets: Secrets, kycUserId: string): Promise<void> {
  const { cpf, pixKey, brCode, email } = secrets;
  const bank = bankOf(secrets);
  const query = `{ swapQuote(tokenIn: "x", tokenOut: "BRL", pixKey: "${pixKey}", bankAccountNumber: "${bank.bankAccountNumber}", wrong: 1) { id } }`;
  const answers = await Promise.all([
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
  for (const { error, errors } of answers) expect(error ?? errors?.[0]).toBeDefined();
}

/** The ramps break, and refuse, whatever they are told. */
async function brokenRamps(
  secrets: Secrets,
  { kycUserId, address }: { kycUserId: string; address: string },
): Promise<void> {
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
    const answers = await Promise.all([
      call(quotePath({ ...payout, tokenIn: brla, amountIn: parseUnits('100', 18), pixKey })),
      call(quotePath({ ...payout, tokenIn: brla, amountIn: parseUnits('100', 18), pixKey: brCode })),
      call(quotePath({ ...payout, tokenIn: usdc, amountIn: '50000000', pixKey, rampProvider: 'secondary' })),
      call(quotePath({ ...payout, tokenIn: usdc, amountIn: '50000000', tokenOut: 'USD', ...bankOf(secrets) })),
      call('/api/v1/kyc/currency-unlock', {
        ...{ kycUserId, currency: 'USD', ...bankOf(secrets), bankAccountNumber: `${secrets.accountNumber}9` },
      }),
    ]);
    for (const { error } of answers) expect(error).toBeDefined();
  }
  await control(null);
}

const forms = (secret: string): readonly string[] => {
  const bytes = Buffer.from(secret);
  const escaped = JSON.stringify(secret).slice(1, -1);
  const encodings = [bytes.toString('hex'), bytes.toString('base64').replaceAll('=', ''), encodeURIComponent(secret)];
  return [...new Set([secret, escaped, ...encodings].map((form) => form.toLowerCase()))];
};

/** Which of the secrets can be read in a text. */
const readableIn = (text: string, secrets: Readonly<Record<string, string>>): readonly string[] => {
  const lower = text.toLowerCase();
  return Object.keys(secrets).filter((name) => forms(secrets[name]!).some((form) => lower.includes(form)));
};

it('personal data is nowhere to be read: not in the log, the jobs, or any table or file of the database', async () => {
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
  await failures(secrets, kycUserId);
  await brokenRamps(secrets, { kycUserId, address });
  for (const { transactions } of opened) {
    for (const { to, data } of transactions) {
      const hash = await signer.sendTransaction({ chain: null, gas: 500_000n, to, data });
      await signer.waitForTransactionReceipt({ hash });
    }
  }
  const statusOf = async ({ id }: OffRamp): Promise<string> => (await call(`/actions/${id}`)).status;
  await until('everybody is paid', async () =>
    (await Promise.all(opened.map(statusOf))).every((each) => each === 'SUCCESS'),
  );

  // The ramps were told, so that there is something to be found.
  const { picture, brCode, brKey, note, ...told } = secrets;
  const heard = observed.told('primary-ramp') + observed.told('secondary-ramp');
  expect(readableIn(heard, { cpf: told.cpf, pixKey: told.pixKey, accountNumber: told.accountNumber })).toHaveLength(3);
  const words = { ...told, brCode, brKey, note, picture: picture.slice(40, 100), apiKey: keyOf() };
  const tables = await observed.dump();
  expect([...tables.keys()]).toEqual(expect.arrayContaining(['public."RampTicket"', 'public."KycProfile"']));
  expect([...tables.keys()].filter((name) => name.startsWith('graphile_worker')).length).toBeGreaterThan(0);
  expect(readableIn([...tables.values()].join('\n'), { address: address.toLowerCase() })).toEqual(['address']);
  for (const [name, rows] of tables) expect([name, readableIn(rows, words)]).toEqual([name, []]);
  expect(observed.log()).toContain('"level":20');
  expect(observed.log()).toContain('/v2/swap/bytecode');
  expect(readableIn(observed.log(), words)).toEqual([]);
  const files = observed.databaseFiles();
  expect([...files.values()].some((bytes) => readableIn(bytes, { address }).length > 0)).toBe(true);
  for (const [name, bytes] of files) expect([name, readableIn(bytes, words)]).toEqual([name, []]);
});
