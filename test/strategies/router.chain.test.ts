import { encodeFunctionData, erc20Abi, getAddress, maxUint256 } from 'viem';
import { ownArtifact } from '../../devnet/artifacts';
import { snapshotOf, universeOfTests } from '../setup/universe-of-tests';
import { callContract, mint } from './local-strategies';
import {
  approve,
  depositData,
  openRouterWorld,
  ROUTER,
  type RouterMarket,
  type RouterWorld,
  termsOf,
  usdc,
  withdrawalData,
} from './router-world';

const COLLECTOR = getAddress('0x00000000000000000000000000000000000c0111');
const PARTNER = getAddress('0x0000000000000000000000000000000000009a27');
const FRIEND = getAddress('0x00000000000000000000000000000000000a11ce');
const FEES = [
  { recipient: COLLECTOR, amount: usdc('1.5') },
  { recipient: PARTNER, amount: usdc('0.25') },
];
const PAID = usdc('1.75');

let world: RouterWorld;
let revert: () => Promise<void>;
beforeAll(async () => {
  world = await openRouterWorld(await universeOfTests());
});
beforeEach(async () => {
  revert = await snapshotOf(world.local.chain);
});
afterEach(() => revert());

const own = () => world.user.address;
const held = (owner = own()) => world.balanceOf(world.asset, owner);
const steady = (): RouterMarket => world.markets[0]!;
const marketNamed = (name: string): RouterMarket => world.markets.find((market) => market.name === name)!;
const depositInto = (market: RouterMarket, changes: object = {}) =>
  depositData(market.deposit, { ...termsOf(market, own()), assets: usdc('100'), minReceipt: 0n, ...changes });
const withdrawFrom = (market: RouterMarket, changes: object = {}) =>
  withdrawalData(market.withdrawals[0]!, {
    ...termsOf(market, own()),
    amount: market.withdrawals[0] === 'redeemVault' ? usdc('100') * 10n ** 6n : usdc('100'),
    maxReceipt: maxUint256,
    minAssets: 0n,
    ...changes,
  });

describe.each(['Steady-USDC-devnet', 'ExitFee-USDC-devnet', 'Aave-USDC-devnet', 'Compound-USDC-devnet'])(
  'the router and %s',
  (name) => {
    it('a deposit takes exactly its assets and fees, gives the receiver the deposit and pays each fee', async () => {
      const market = marketNamed(name);
      const [before, receipts, router] = [
        await held(),
        await world.balanceOf(market.receipt, FRIEND),
        await world.holdings(),
      ];
      const hash = await world.send(world.user, depositInto(market, { receiver: FRIEND, fees: FEES }));
      expect(before - (await held())).toBe(usdc('100') + PAID);
      expect(await world.balanceOf(market.receipt, FRIEND)).toBeGreaterThan(receipts);
      expect([await held(COLLECTOR), await held(PARTNER)]).toEqual(FEES.map(({ amount }) => amount));
      expect(await world.feesPaid(hash)).toMatchObject(FEES.map(({ amount }) => ({ payer: own(), amount })));
      expect(await world.holdings()).toEqual(router);
    });

    it('a withdrawal pays each fee and the receiver the rest', async () => {
      const market = marketNamed(name);
      const router = await world.holdings();
      await world.send(world.user, withdrawFrom(market, { receiver: FRIEND, fees: FEES, minAssets: usdc('97') }));
      expect([await held(COLLECTOR), await held(PARTNER)]).toEqual(FEES.map(({ amount }) => amount));
      expect(await held(FRIEND)).toBeGreaterThanOrEqual(usdc('97'));
      expect(await held(FRIEND)).toBeLessThanOrEqual(usdc('101'));
      expect(await world.holdings()).toEqual(router);
    });

    it('refuses a deposit and a withdrawal that bring less than their minimum, whose fees are not paid', async () => {
      const market = marketNamed(name);
      const [deposit, withdrawal] = [
        depositInto(market, { minReceipt: usdc('1000') * 10n ** 6n, fees: FEES }),
        withdrawFrom(market, { minAssets: usdc('101'), fees: FEES }),
      ];
      expect(await world.refusal(world.user, deposit)).toContain('TooLittleReceived');
      expect(await world.refusal(world.user, withdrawal)).toContain('TooLittleReceived');
      expect(await world.refusal(world.user, withdrawFrom(market, { maxReceipt: 1n }))).toContain('TooMuchTaken');
    });
  },
);

describe('the router', () => {
  it('withdraws everything from markets whose deposits grow', async () => {
    for (const name of ['Aave-USDC-devnet', 'Compound-USDC-devnet']) {
      const market = marketNamed(name);
      await world.send(world.user, withdrawFrom(market, { amount: maxUint256, minAssets: usdc('1000') - 2n }));
      expect(await world.balanceOf(market.receipt, own())).toBe(0n);
      expect(await world.balanceOf(market.receipt, ROUTER)).toBe(0n);
    }
  });

  it('takes exact assets out of a vault', async () => {
    const before = await held();
    const terms = { ...termsOf(steady(), own()), amount: usdc('7'), maxReceipt: maxUint256, minAssets: usdc('7') };
    await world.send(world.user, withdrawalData('withdrawVault', terms));
    expect((await held()) - before).toBe(usdc('7'));
  });

  it('refuses a call after its deadline, and a receiver who would lose what it gets', async () => {
    const { timestamp } = await world.local.client.getBlock();
    expect(await world.refusal(world.user, depositInto(steady(), { deadline: timestamp - 1n }))).toContain('Expired');
    expect(await world.refusal(world.user, withdrawFrom(steady(), { deadline: timestamp - 1n }))).toContain('Expired');
    for (const receiver of [ROUTER, '0x0000000000000000000000000000000000000000'])
      expect(await world.refusal(world.user, depositInto(steady(), { receiver }))).toContain('InvalidReceiver');
    const self = [{ recipient: ROUTER, amount: 1n }];
    expect(await world.refusal(world.user, depositInto(steady(), { fees: self }))).toContain('FeeRefused');
  });

  it('never borrows from a Comet', async () => {
    const market = marketNamed('Compound-USDC-devnet');
    expect(await world.refusal(world.user, withdrawFrom(market, { amount: usdc('1001') }))).toContain('ExceedsDeposit');
  });

  it('refuses fees above what a withdrawal pays', async () => {
    const fees = [{ recipient: COLLECTOR, amount: usdc('101') }];
    expect(await world.refusal(world.user, withdrawFrom(steady(), { fees }))).toContain('FeesExceedAssets');
  });

  it('takes nothing from a wallet that has approved it, for a caller that is not that wallet', async () => {
    for (const market of world.markets) {
      const terms = { ...termsOf(market, world.attacker.address), assets: usdc('100'), minReceipt: 0n };
      await approve(world.local, world.attacker, { token: world.asset, spender: ROUTER });
      await world.send(world.attacker, depositData(market.deposit, terms));
      await approve(world.local, world.attacker, { token: market.receipt, spender: ROUTER });
    }
    const before = await world.wealthOf(world.victim.address);
    const receiver = world.attacker.address;
    for (const market of world.markets) {
      const amount = market.withdrawals[0] === 'redeemVault' ? usdc('10') * 10n ** 6n : usdc('10');
      await world.send(world.attacker, withdrawFrom(market, { amount, receiver }));
    }
    const after = await world.wealthOf(world.victim.address);
    expect(after.every((amount, index) => amount >= before[index]!)).toBe(true);
  });

  it('pays out aTokens that were sent to it, and keeps no token that it takes', async () => {
    const market = marketNamed('Aave-USDC-devnet');
    const args = [ROUTER, usdc('3')] as const;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args });
    await world.local.send(world.victim.privateKey, { to: market.receipt, data });
    await world.send(world.user, withdrawFrom(market, { minAssets: usdc('102') }));
    expect(await world.balanceOf(market.receipt, ROUTER)).toBe(0n);
  });

  it('leaves assets where they are that were sent to it before', async () => {
    await mint(world.local, world.attacker, [world.asset, ROUTER, usdc('5')]);
    await world.send(world.user, depositInto(steady(), { fees: FEES }));
    await world.send(world.user, withdrawFrom(steady(), { fees: FEES }));
    expect(await held(ROUTER)).toBe(usdc('5'));
  });
});

describe('a market that is hostile', () => {
  it.each([
    ['takes only a part', { takenBps: 9000n }, 'BalanceChanged'],
    ['returns assets', { returned: 5n }, 'BalanceChanged'],
    ['leaves receipt tokens', { leaked: 5n }, 'BalanceChanged'],
    ['mints less than the minimum', { mintedBps: 9000n }, 'TooLittleReceived'],
    ['takes more than the deposit', { takenBps: 10_001n }, 'ERC20InsufficientAllowance'],
  ] as const)('and %s of a deposit undoes it', async (_, behaviour, error) => {
    await world.behave(world.attacker, behaviour);
    expect(await world.refusal(world.user, depositInto(world.hostile, { minReceipt: usdc('100') }))).toContain(error);
  });

  it.each([
    ['pays less than the minimum', { paidBps: 9000n }, 'TooLittleReceived'],
    ['burns more than the maximum', { burntBps: 10_001n }, 'TooMuchTaken'],
    ['leaves receipt tokens', { leaked: 5n }, 'BalanceChanged'],
  ] as const)('and %s of a withdrawal undoes it', async (_, behaviour, error) => {
    await world.behave(world.attacker, behaviour);
    const terms = { amount: usdc('100'), maxReceipt: usdc('100'), minAssets: usdc('100') };
    expect(await world.refusal(world.user, withdrawFrom(world.hostile, terms))).toContain(error);
  });

  it('cannot call the router while it is called, with a call that succeeds otherwise', async () => {
    const { market } = world.hostile;
    await world.send(world.user, depositInto(steady(), { receiver: market }));
    const call = async (behaviour: object) => {
      await world.behave(world.attacker, behaviour);
      const args = [0n, own()];
      const { abi } = ownArtifact('HostileMarket');
      await callContract(world.local, world.user.privateKey, { address: market, abi, functionName: 'deposit', args });
    };
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [ROUTER, maxUint256] });
    await call({ target: steady().receipt, data });
    const attack = { target: ROUTER, data: withdrawFrom(steady(), { receiver: FRIEND, amount: usdc('1') }) };
    await call(attack);
    expect(await world.reentries()).toBe(2n);
    await world.behave(world.attacker, attack);
    await world.send(world.user, depositInto(world.hostile));
    expect(await world.reentries()).toBe(2n);
  });
});

describe('a token that is hostile', () => {
  it('and takes a fee on transfers is refused', async () => {
    const token = await world.local.deploy('TollToken', ['Toll', 'TOLL']);
    const vault = await world.local.deploy('YieldVault', [token, 'Toll vault', 'vTOLL', 0n, 6]);
    await mint(world.local, world.user, [token, own(), usdc('100')]);
    await approve(world.local, world.user, { token, spender: ROUTER });
    const market = { ...steady(), market: vault, receipt: vault, asset: token };
    expect(await world.refusal(world.user, depositInto(market))).toContain('UnexpectedAmount');
  });

  it('cannot call the router while it is transferred, with a call that succeeds otherwise', async () => {
    const token = await world.local.deploy('ReentrantToken', []);
    const vault = await world.local.deploy('YieldVault', [token, 'Reentered', 'REE', 0n, 6]);
    await mint(world.local, world.user, [token, own(), usdc('200')]);
    await mint(world.local, world.attacker, [world.asset, token, usdc('200')]);
    for (const spender of [ROUTER, own()]) await approve(world.local, world.user, { token, spender });
    const { abi } = ownArtifact('ReentrantToken');
    const call = (functionName: string, args: readonly unknown[]) =>
      callContract(world.local, world.user.privateKey, { address: token, abi, functionName, args });
    const approval = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [ROUTER, maxUint256] });
    await call('execute', [world.asset, approval]);
    await call('attack', [ROUTER, depositInto(steady())]);
    await call('transferFrom', [own(), FRIEND, 1n]);
    expect(await held(token)).toBe(usdc('100'));
    const market = { ...steady(), market: vault, receipt: vault, asset: token };
    expect(await world.refusal(world.user, depositInto(market))).toBe('Error');
    await call('attack', ['0x0000000000000000000000000000000000000000', '0x']);
    expect(await world.refusal(world.user, depositInto(market))).toBe('accepted');
  });

  it('and bars a recipient of a fee undoes the call, which names the recipient', async () => {
    const restricted = await world.local.deploy('RestrictedToken', ['USD Coin', 'USDC', world.attacker.address]);
    const vault = await world.local.deploy('YieldVault', [restricted, 'Restricted', 'vRES', 0n, 6]);
    await mint(world.local, world.attacker, [restricted, own(), usdc('200')]);
    await approve(world.local, world.user, { token: restricted, spender: ROUTER });
    const { abi } = ownArtifact('RestrictedToken');
    const bar = { address: restricted, abi, functionName: 'blacklist', args: [PARTNER] };
    await callContract(world.local, world.attacker.privateKey, bar);
    const market = { ...steady(), market: vault, receipt: vault, asset: restricted };
    expect(await world.refusal(world.user, depositInto(market, { fees: FEES }))).toContain('FeeRefused');
    expect(await world.refusal(world.user, depositInto(market, { fees: FEES.slice(0, 1) }))).toBe('accepted');
  });
});
