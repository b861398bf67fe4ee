import {
  type Abi,
  type AbiEvent,
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  getAbiItem,
  type Hex,
  type Log,
  parseAbi,
} from 'viem';

export const STRATEGY_EVENTS = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Supply(address indexed reserve, address user, address indexed onBehalfOf, uint256 amount, uint16 indexed referralCode)',
  'event Withdraw(address indexed reserve, address indexed user, address indexed to, uint256 amount)',
  'event Mint(address indexed caller, address indexed onBehalfOf, uint256 value, uint256 balanceIncrease, uint256 index)',
  'event Burn(address indexed from, address indexed target, uint256 value, uint256 balanceIncrease, uint256 index)',
  'event BalanceTransfer(address indexed from, address indexed to, uint256 value, uint256 index)',
]);
export const VAULT_EVENTS = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
  'event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)',
]);
export const COMET_EVENTS = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Supply(address indexed from, address indexed dst, uint256 amount)',
  'event Withdraw(address indexed src, address indexed to, uint256 amount)',
]);

export interface EmittedEvent {
  readonly address: Address;
  readonly abi: Abi;
  readonly name: string;
  readonly args: Readonly<Record<string, Address | bigint | number>>;
}

const TX_HASH: Hex = `0x${'ab'.repeat(32)}`;
const BLOCK_HASH: Hex = `0x${'cd'.repeat(32)}`;

/** Events as the logs of one transaction, in order. */
export const logsOfTransaction = (events: readonly EmittedEvent[]): readonly Log[] => events.map(logOf);

function logOf({ address, abi, name, args }: EmittedEvent, logIndex: number): Log {
  const event = getAbiItem({ abi, name }) as AbiEvent;
  const plain = event.inputs.filter(({ indexed }) => indexed !== true);
  return {
    address,
    topics: encodeEventTopics({ abi, eventName: name, args }) as [Hex, ...Hex[]],
    data: encodeAbiParameters(
      plain,
      plain.map(({ name: input }) => args[input ?? '']),
    ),
    blockNumber: 7n,
    blockHash: BLOCK_HASH,
    transactionHash: TX_HASH,
    transactionIndex: 0,
    logIndex,
    removed: false,
  };
}
