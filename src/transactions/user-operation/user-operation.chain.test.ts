import { type Address, encodeFunctionData, erc20Abi, type Hex, parseEther, parseUnits } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { ACCOUNT_ABSTRACTION_KEYS } from '../../../devnet/account-abstraction/account-abstraction-contracts';
import { newCustomer } from '../../../test/actions/sample-action';
import { asChain, builtCall, localRequest, localToken, rpcOf } from '../../../test/contract/local-swaps';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { chainNamed, type TestUniverse, universeOfTests } from '../../../test/setup/universe-of-tests';
import { bundle, fund, type LocalWallet, signed, walletOn } from '../../../test/smart-accounts/local-operations';
import { createUniswapV3Provider } from '../../quotes/providers/uniswap-v3/uniswap-v3';
import { createPoolDirectory } from '../../rpc/pools/pool-directory';
import { createTransferProbe } from '../../rpc/pools/transfer-probe';
import type { UnsignedCall } from '../../quotes/quote-provider';
import { createSmartAccount } from '../../smart-accounts/create-smart-account';
import { createChainTable } from '../../chains/chain-table';
import { approveCall } from '../approvals';
import { createPaymasterSigner } from './paymaster';
import { createUserOperationBuilder, type UserOperationBuilder, type UserOperationRequest } from './user-operation';

let test: TestDatabase;
let universe: TestUniverse;
let chain: TestUniverse['chains'][number];
let rpc: ReturnType<typeof rpcOf>;
let wallet: LocalWallet;
let builder: UserOperationBuilder;
beforeAll(async () => {
  [test, universe] = await Promise.all([createTestDatabase(), universeOfTests()]);
  chain = chainNamed(universe, 'devnet');
  rpc = rpcOf(universe.chains);
  wallet = walletOn(chain, universe.accounts[5]!);
  const paymasterSigner = createPaymasterSigner(ACCOUNT_ABSTRACTION_KEYS.paymasterSigner);
  builder = createUserOperationBuilder({ database: test.database, rpc, paymasterSigner });
});
afterAll(() => test.drop());
const customerId = newCustomer();

async function newAccount() {
  const owner = privateKeyToAccount(generatePrivateKey());
  const deps = {
    database: test.database,
    rpc,
    chains: createChainTable([asChain(chain)]),
    blockedAddresses: new Set<string>(),
  };
  const signal = AbortSignal.timeout(5000);
  const { address } = await createSmartAccount(deps, {
    customerId,
    owner: owner.address,
    chainId: chain.chainId,
    signal,
  });
  return { owner, address };
}

const build = (request: Pick<UserOperationRequest, 'account' | 'calls'> & Partial<UserOperationRequest>) =>
  builder.buildUserOperation({
    ...{ customerId, chain: asChain(chain), sponsored: false, signal: AbortSignal.timeout(10_000) },
    ...request,
  });

const balance = (symbol: string, owner: Address) =>
  symbol === 'ETH'
    ? wallet.getBalance({ address: owner })
    : wallet.readContract({
        address: localToken(chain, symbol).address as Address,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [owner],
      });

async function swapOf(account: Address, pair: readonly [string, string], amount: bigint) {
  const provider = createUniswapV3Provider({
    rpc,
    pools: createPoolDirectory({ rpc }),
    probe: createTransferProbe({ rpc }),
  });
  const request = localRequest({ chain, pair, amount, sender: account, recipient: account });
  const quote = (await provider.quote(request, AbortSignal.timeout(5000)))!;
  const deadline = Math.floor(Date.now() / 1000) + 3600;
  const { spender, ...call } = await builtCall(provider, {
    request,
    quote,
    sender: account,
    recipient: account,
    deadline,
  });
  const approval = approveCall({
    chainId: chain.chainId,
    owner: account,
    token: request.tokenIn.address,
    spender: spender!,
    amount,
  });
  return { quote, calls: [approval, call] as readonly UnsignedCall[] };
}

it('deploys, approves and swaps', async () => {
  const { owner, address } = await newAccount();
  await fund({ chain, wallet }, { account: address, symbol: 'USDC', amount: parseUnits('500', 6) });
  await fund({ chain, wallet }, { account: address, symbol: 'ETH', amount: parseEther('1') });
  const { quote, calls } = await swapOf(address, ['USDC', 'BRLA'], parseUnits('500', 6));
  const built = await build({ account: address, calls });
  console.log(built, built.gasLimit);
  const receipt = await bundle(wallet, [await signed(built.userOperation, owner)]);
  console.log(receipt.status, receipt.gasUsed, receipt.logs.length);
  expect(await balance('BRLA', address)).toBe(quote.expectedAmountOut);
  const s = await swapOf(address, ['BRLA', 'USDC'], parseUnits('50', 18));
  const sp = await build({ account: address, calls: s.calls, sponsored: true });
  console.log(sp);
  const r2 = await bundle(wallet, [await signed(sp.userOperation, owner)]);
  console.log(r2.status, r2.gasUsed, r2.logs.length);
  expect(await balance('USDC', address)).toBe(s.quote.expectedAmountOut);
});
