import {
  type Address,
  createPublicClient,
  createWalletClient,
  erc20Abi,
  type Hex,
  http,
  isAddress,
  keccak256,
  parseAbi,
  toHex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { DevnetError } from '../../devnet-error';
import { createJsonRpc } from '../../json-rpc';
import { fromMicro, toMicro } from './micro-amount';
import type { PayingChain } from './paying-chain';

export interface EvmPayingChainOptions {
  readonly chainId: number;
  readonly rpcUrl: string;
  readonly tokens: readonly { readonly address: Address; readonly symbol: string; readonly decimals: number }[];
}

const mintAbi = parseAbi(['function mint(address to, uint256 value)']);
const PAYER_KEY = keccak256(toHex('primary-ramp:payer'));
const GAS_MONEY = toHex(10n ** 21n);

/** Pays by minting, which local tokens allow to every account. */
export function openEvmPayingChain({ rpcUrl, tokens }: EvmPayingChainOptions): PayingChain {
  const client = createPublicClient({ transport: http(rpcUrl) });
  const account = privateKeyToAccount(PAYER_KEY);
  const wallet = createWalletClient({ account, transport: http(rpcUrl) });
  const rpc = createJsonRpc(rpcUrl);
  const named = (symbol: string) => tokens.find((token) => token.symbol === symbol);
  let queue: Promise<unknown> = Promise.resolve();
  const mint = async (symbol: string, to: Address, amount: bigint): Promise<Hex> => {
    const token = named(symbol);
    if (token === undefined) throw new DevnetError(`the ramp has no ${symbol} here`);
    await rpc.call('anvil_setBalance', [account.address, GAS_MONEY]);
    const args = [to, fromMicro(amount, token.decimals)] as const;
    const hash = await wallet.writeContract({
      address: token.address,
      abi: mintAbi,
      functionName: 'mint',
      args,
      chain: null,
    });
    const { status } = await client.waitForTransactionReceipt({ hash, timeout: 20_000, pollingInterval: 100 });
    if (status !== 'success') throw new DevnetError(`a payment of the ramp reverted: ${hash}`);
    return hash;
  };
  return {
    walletKind: 'EVM',
    symbols: new Set(tokens.map(({ symbol }) => symbol)),
    isAddress,
    async balanceOf(symbol, owner) {
      const token = named(symbol);
      if (token === undefined) return 0n;
      const args = [owner as Address] as const;
      const call = { address: token.address, abi: erc20Abi, functionName: 'balanceOf', args } as const;
      return toMicro(await client.readContract(call), token.decimals);
    },
    // One after the other: they share an account, and with it a nonce.
    pay(symbol, to, amount) {
      const paid = queue.then(() => mint(symbol, to as Address, amount));
      queue = paid.catch(() => undefined);
      return paid;
    },
  };
}
