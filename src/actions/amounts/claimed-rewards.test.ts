import { encodeAbiParameters, encodeEventTopics, type Hex, pad, parseAbi } from 'viem';
import { claimedReward } from './claimed-rewards';

const [PAYER, OTHER, WALLET, TOKEN]: Hex[] = ['0x11', '0x22', '0x33', '0x44'].map((each) =>
  pad(each as Hex, { size: 20 }),
) as [Hex, Hex, Hex, Hex];

const ABI = parseAbi([
  'event RewardClaimed(address indexed src, address indexed recipient, address indexed token, uint256 amount)',
  'event RewardsClaimed(address indexed user, address indexed reward, address indexed to, address claimer, uint256 amount)',
]);
interface Parties {
  readonly payer?: Hex;
  readonly owner?: Hex;
  readonly recipient?: Hex;
  readonly token?: Hex;
}
const comet = (amount: bigint, { payer = PAYER, owner = WALLET, recipient = WALLET, token = TOKEN }: Parties = {}) => ({
  address: payer,
  topics: encodeEventTopics({ abi: ABI, eventName: 'RewardClaimed', args: { src: owner, recipient, token } }) as [Hex],
  data: encodeAbiParameters([{ type: 'uint256' }], [amount]),
});
const aave = (amount: bigint, { payer = PAYER, owner = WALLET, recipient = WALLET, token = TOKEN }: Parties = {}) => ({
  address: payer,
  topics: encodeEventTopics({
    abi: ABI,
    eventName: 'RewardsClaimed',
    args: { user: owner, reward: token, to: recipient },
  }) as [Hex],
  data: encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [WALLET, amount]),
});

const claimed = (logs: ReturnType<typeof comet>[], quotes: readonly bigint[] = [100n], index = 0) =>
  claimedReward(
    { logs },
    { payer: PAYER, wallet: WALLET, token: TOKEN },
    { claims: quotes.map((quoted, each) => ({ actionId: String(each), quoted })), actionId: String(index) },
  );

describe.each([
  ['a Comet', comet],
  ['Aave', aave],
])('a claim of a reward of %s', (_, event) => {
  it('has brought what the event of the contract states, for this wallet and token alone', () => {
    const unrelated = [
      event(1n, { payer: OTHER }),
      event(2n, { owner: OTHER }),
      event(3n, { recipient: OTHER }),
      event(4n, { token: OTHER }),
      event(0n),
    ];
    expect(claimed([...unrelated, event(101n)])).toBe(101n);
    expect(claimed(unrelated)).toBeUndefined();
  });

  it('ignores malformed events', () => {
    const { topics, address } = event(5n);
    expect(claimed([{ address, topics, data: '0x01' }, { address, topics: ['0x'], data: '0x' }, event(7n)])).toBe(7n);
  });

  it('has its own event beside another claim, also when only one of them was paid, or a third call claims as well', () => {
    const both = [event(90n), event(100n)];
    expect([0, 1].map((index) => claimed(both, [100n, 90n], index))).toEqual([90n, 100n]); // in the order of the calls
    expect([0, 1].map((index) => claimed([event(91n)], [100n, 90n], index))).toEqual([undefined, 91n]);
    expect([0, 1].map((index) => claimed([event(5n), ...both], [90n, 99n], index))).toEqual([90n, 100n]);
    expect(claimed(both, [99n])).toBe(100n);
  });
});
