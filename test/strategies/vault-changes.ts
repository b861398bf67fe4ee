import { type Address, encodeFunctionData, erc20Abi, getAddress, parseAbi, parseUnits } from 'viem';
import { createJsonRpc } from '../../devnet/json-rpc';
import { mint, strategyChain } from './local-strategies';
import type { OperationDesk } from './operation-desk';

const FRIEND = getAddress('0x00000000000000000000000000000000000a11ce');
const ISSUER = parseAbi(['function blacklist(address account)']);

/** Sudden changes of a vault of USDC on the local chain, and of USDC. */
export function vaultChanges(desk: OperationDesk, strategyId: string) {
  const local = strategyChain(desk.universe, desk.devnet);
  const json = createJsonRpc(desk.devnet.rpcUrl);
  const account = desk.universe.accounts[8]!;
  const vault = desk.strategies.get(strategyId).row.market;
  const usdc = desk.token('USDC') as Address;
  return {
    /** Raises the price of the shares. */
    earn: (amount = parseUnits('10', 6)) => mint(local, account, [usdc, vault, amount]),
    /** Lowers the price of the shares: assets leave the vault. */
    async lose(amount: bigint): Promise<void> {
      await json.call('anvil_impersonateAccount', [vault]);
      await json.call('anvil_setBalance', [vault, '0xde0b6b3a7640000']);
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [FRIEND, amount] });
      await json.call('eth_sendTransaction', [{ from: vault, to: usdc, data }]);
      await json.call('evm_mine', []);
    },
    /** Turns USDC into a token whose issuer can bar accounts, with the same balances, and bars one. */
    async bar(barred: Address): Promise<void> {
      const restricted = await local.deploy('RestrictedToken', ['USD Coin', 'USDC', account.address]);
      const code = await local.client.getCode({ address: restricted });
      await json.call('anvil_setCode', [usdc, code]);
      const data = encodeFunctionData({ abi: ISSUER, functionName: 'blacklist', args: [barred] });
      await local.send(account.privateKey, { to: usdc, data });
    },
  };
}
