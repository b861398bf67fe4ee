import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { cpfOf, emailOf } from '../../scripts/demo/person-evidence';
import { customerNamed, rest, type RestResponse, runningService } from '../setup/running-service';
import { approvedPerson, holdAtPrimaryRamp } from './kyc-people';

const service = runningService();
const other = customerNamed(service, 'other').apiKey;
const { tokens } = service.chains.find(({ slug }) => slug === 'devnet')!;
const BRLA = tokens['BRLA']!;

const PIX_KEY = 'joao.souza@example.com';

const newWallet = (): string => privateKeyToAddress(generatePrivateKey());
const quote = (fields: Record<string, string>, apiKey?: string): Promise<RestResponse> =>
  rest(`/v2/swap/quote?${new URLSearchParams(fields).toString()}`, apiKey === undefined ? {} : { apiKey });
const ON_RAMP = { originChain: 'fiat', destinationChain: 'devnet', tokenIn: 'BRL', tokenOut: BRLA, amountIn: '10000' };
const OFF_RAMP = {
  originChain: 'devnet',
  destinationChain: 'fiat',
  tokenIn: BRLA,
  tokenOut: 'BRL',
  amountIn: '100000000000000000000',
};
/** Prices with one address. */
const onRamp = (wallet: string) => quote({ ...ON_RAMP, destinationAddress: wallet });
const offRamp = (wallet: string) => quote({ ...OFF_RAMP, originAddress: wallet });
/** Executable quotes. */
const buy = (wallet: string, apiKey?: string) =>
  quote({ ...ON_RAMP, originAddress: wallet, destinationAddress: wallet }, apiKey);
const sell = (wallet: string, apiKey?: string) =>
  quote({ ...OFF_RAMP, originAddress: wallet, pixKey: PIX_KEY }, apiKey);
const ticket = ({ body }: RestResponse, parties: object): Promise<RestResponse> =>
  rest('/v2/swap/bytecode', { body: { quoteId: body.quote.quoteId, ...parties } });
const codeOf = ({ status, body }: RestResponse) => [status, body.error?.code];

const walletsOf = (kycUserId: string): string => `/api/v1/kyc/${kycUserId}/wallets`;
const NOT_FOUND = [404, 'KYC_PROFILE_NOT_FOUND'];

describe('a wallet that is linked after the approval', () => {
  it('can quote in any spelling and pay until it is unlinked, and its earlier quotes are refused afterwards', async () => {
    const [first, wallet] = [newWallet(), newWallet()];
    const kycUserId = await approvedPerson({ walletAddress: first });
    for (const requestQuote of [buy, sell]) expect(codeOf(await requestQuote(wallet))).toEqual(NOT_FOUND);
    const link = { body: { walletAddress: wallet.toLowerCase() } };
    expect((await rest(walletsOf(kycUserId), link)).body.walletAddresses).toEqual([first, wallet]);

    const [bought, sold] = [await onRamp(wallet.toLowerCase()), await offRamp(wallet)];
    const used = await onRamp(wallet);
    expect([bought.status, sold.status, used.status]).toEqual([200, 200, 200]);
    const buyer = { originAddress: wallet, destinationAddress: wallet };
    // A repeated request returns the status once the payment has arrived, even without a profile.
    await holdAtPrimaryRamp(kycUserId);
    expect((await ticket(used, buyer)).body.paymentInstructions.pix.copyPaste).toMatch(/^000201/);

    const upper = `0x${wallet.slice(2).toUpperCase()}`;
    expect((await rest(`${walletsOf(kycUserId)}/${upper}`, { method: 'DELETE' })).status).toBe(200);
    const seller = { originAddress: wallet, pixKey: PIX_KEY };
    const refused = [buy(wallet), sell(wallet), ticket(bought, buyer), ticket(sold, seller), ticket(used, buyer)];
    for (const response of await Promise.all(refused)) expect(codeOf(response)).toEqual(NOT_FOUND);
    const mine = await ticket(bought, { originAddress: first, destinationAddress: first });
    expect(codeOf(mine)).toEqual([400, 'QUOTE_VALIDATION_ERROR']);
    const { data } = (await rest(`/actions?walletAddress=${wallet}`)).body;
    expect(data.map(({ quoteId }: { quoteId: string }) => quoteId)).toEqual([used.body.quote.quoteId]);
  });

  it('moves money as its present person, approved or not', async () => {
    const [walletAddress, wallet] = [newWallet(), newWallet()];
    const kycUserId = await approvedPerson({ walletAddress });
    await rest(walletsOf(kycUserId), { body: { walletAddress: wallet } });
    const sold = await offRamp(wallet);
    await rest(`${walletsOf(kycUserId)}/${wallet}`, { method: 'DELETE' });
    const cpf = cpfOf(wallet);
    const session = { cpf, email: emailOf(cpf), walletAddress: wallet };
    expect((await rest('/api/v1/kyc/sessions', { body: session })).body.status).toBe('created');
    const seller = { originAddress: wallet, pixKey: PIX_KEY };
    for (const response of [await sell(wallet), await ticket(sold, seller)]) {
      expect(codeOf(response)).toEqual([400, 'RAMP_ACCOUNT_ID_MISSING']);
    }
  });

  it('is unlinked for other customers', async () => {
    const walletAddress = newWallet();
    await approvedPerson({ walletAddress });
    for (const requestQuote of [buy, sell]) expect(codeOf(await requestQuote(walletAddress, other))).toEqual(NOT_FOUND);
  });
});

it('a price with one address requires no person, neither linked nor approved', async () => {
  const [unlinked, created] = [newWallet(), newWallet()];
  const cpf = cpfOf(created);
  await rest('/api/v1/kyc/sessions', { body: { cpf, email: emailOf(cpf), walletAddress: created } });
  for (const wallet of [unlinked, created]) {
    for (const { status, body } of [await onRamp(wallet), await offRamp(wallet)]) {
      expect([status, Object.keys(body)]).toEqual([200, ['quote']]);
    }
  }
});
