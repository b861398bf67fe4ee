import path from 'node:path';
import { ACCOUNT_ABSTRACTION_KEYS } from './account-abstraction/account-abstraction-contracts';
import { bridgedChainsOf } from './emulators/across/bridged-chains';
import { startAcrossEmulator } from './emulators/across/start-across-emulator';
import { startAttestationEmulator } from './emulators/attestation/start-attestation-emulator';
import { BITCOIN_LOCAL, type BitcoinChain } from './emulators/bitcoin/bitcoin-chain';
import { startBitcoinEmulator } from './emulators/bitcoin/start-bitcoin-emulator';
import { startJupiterEmulator } from './emulators/jupiter/start-jupiter-emulator';
import { startLifiEmulator } from './emulators/lifi/start-lifi-emulator';
import { startPriceEmulator } from './emulators/prices/start-price-emulator';
import { startPrimaryRampEmulator } from './emulators/primary-ramp/start-primary-ramp-emulator';
import { startSecondaryRampEmulator } from './emulators/secondary-ramp/start-secondary-ramp-emulator';
import { startStockEmulator, stockChainOf } from './emulators/tokenized-stock/start-stock-emulator';
import { startVaultOperator } from './emulators/vault-operator/start-vault-operator';
import { startZeroExEmulator } from './emulators/zero-ex/start-zero-ex-emulator';
import { type IdentityProvider, startIdentityProvider } from './identity-provider/start-identity-provider';
import { SERVICE_WALLET_KEY } from './service-wallet';
import { fromBase58 } from './solana/base58';
import { type SolanaAccount, type SolanaChainDescription, startSolanaValidator } from './solana/start-solana-validator';
import type { DevnetStrategy } from './strategies/strategy-rows';
import { type DevnetAccount } from './accounts';
import { DevnetError } from './devnet-error';
import { type DevnetChain, startUniverse, type Universe } from './universe';

/** Everything outside of the service, on this machine: chains, and third parties that speak their own wire formats. */
export interface Emulation {
  readonly chains: readonly (DevnetChain | DescribedSolanaChain | BitcoinChain)[];
  readonly accounts: readonly DevnetAccount[];
  readonly solanaAccounts: readonly SolanaAccount[];
  readonly strategies: readonly DevnetStrategy[];
  readonly identityProvider: IdentityProvider;
  /** Base URLs by name of the party. */
  readonly emulators: Readonly<Record<string, string>>;
  /** Keys that the service is configured with, as environment variables. */
  readonly keys: Readonly<Record<string, string>>;
  /** Resolves with the slug of the first chain that has ended for good, whether or not it was stopped. */
  readonly ended: Promise<string>;
  /** Ends everything in the reverse order of starting; the chains save their state. */
  stop(): Promise<void>;
}

interface DescribedSolanaChain extends SolanaChainDescription {
  readonly jupiter: { readonly program: string };
  readonly ramps: { readonly primary: typeof SOLANA_AT_RAMP };
}

/** What the primary ramp calls the embedded Solana chain. */
const SOLANA_AT_RAMP = 'SOLANA';

/** Accounts of the local Solana chain that people may use; the one behind them is the aggregator's. */
const SOLANA_ACCOUNTS = 5;
/** What the embedded Solana chain's tokens cost, in dollars. */
const SOLANA_PRICES = { SOL: 150, USDC: 1, BRZ: 0.185, BRS: 0.185 };

/** What the tokens of the EVM chains cost, in dollars: about as their pools have it. */
const EVM_PRICES = { BTC: 90_000, ETH: 3000, WETH: 3000, USDC: 1, USDT: 1, DAI: 1, BRLA: 0.185 };
/** The same, of the tokens that sites for market prices know. */
const MARKET_PRICES = { ...EVM_PRICES, WBTC: 90_000, BRZ: 0.185 };
const BRL_PER_USD = 5.4;

interface Started {
  stop(): Promise<void>;
}

/** @throws DevnetError when a part does not start; then none is left running. */
export async function startEmulation(directory: string, log: (line: string) => void): Promise<Emulation> {
  const starting: Promise<Started>[] = [];
  const started = <Part extends Started>(part: Promise<Part>): Promise<Part> => {
    starting.push(part);
    return part;
  };
  const stop = async (): Promise<void> => {
    // When one part fails, others may still be starting.
    for (const part of (await Promise.allSettled(starting.splice(0))).reverse()) {
      if (part.status === 'fulfilled') await part.value.stop();
    }
  };
  try {
    return { ...(await startParts(started, { directory, log })), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Register = <Part extends Started>(starting: Promise<Part>) => Promise<Part>;

interface Start {
  readonly directory: string;
  readonly log: (line: string) => void;
}

async function startParts(started: Register, { directory, log }: Start): Promise<Omit<Emulation, 'stop'>> {
  const dataDirectory = path.join(directory, 'chains');
  const keyFile = path.join(directory, 'identity-provider-keys.json');
  const [identityProvider, universe, solana] = await Promise.all([
    started(startIdentityProvider({ keyFile })),
    started(startUniverse({ dataDirectory, log })),
    started(startSolana(dataDirectory)),
  ]);
  const { chains } = universe;
  const [across, attestation, lifi, zeroEx, prices, jupiter, bitcoin, primaryRamp, secondaryRamp, stocks] =
    await Promise.all([
      started(startAcrossEmulator({ chains: bridgedChainsOf(chains), log })),
      started(startAttestationEmulator({ chains })),
      started(startLifiEmulator({ chains, log })),
      started(startZeroExEmulator({ chains })),
      started(startPriceEmulator({ chains, prices: MARKET_PRICES, brlPerUsd: BRL_PER_USD })),
      started(startJupiter(solana)),
      started(startBitcoin(universe, log)),
      started(startPrimaryRamp({ chains, solana }, { directory, log })),
      started(startSecondaryRamp(chains, { directory, log })),
      started(startStocks(chains, log)),
      started(Promise.resolve(startVaultOperator({ chains, log }))),
    ]);
  return {
    chains: [
      ...chains,
      { ...solana.chain, jupiter: { program: jupiter.program }, ramps: { primary: SOLANA_AT_RAMP } },
      { ...BITCOIN_LOCAL, rpcUrl: bitcoin.esploraUrl },
    ],
    accounts: universe.accounts,
    strategies: universe.strategies,
    solanaAccounts: solana.accounts.slice(0, SOLANA_ACCOUNTS),
    identityProvider,
    emulators: {
      identityProvider: identityProvider.url,
      across: across.url,
      jupiter: jupiter.url,
      attestation: attestation.url,
      lifi: lifi.url,
      zeroEx: zeroEx.url,
      tokenizedStock: stocks.url,
      primaryRamp: primaryRamp.url,
      secondaryRamp: secondaryRamp.url,
      relay: bitcoin.relayUrl,
      esplora: bitcoin.esploraUrl,
      ...prices.urls,
    },
    keys: {
      SERVICE_WALLET_KEY,
      PAYMASTER_SIGNER_KEY: ACCOUNT_ABSTRACTION_KEYS.paymasterSigner,
      PRIMARY_RAMP_API_KEY: primaryRamp.apiKey,
      PRIMARY_RAMP_PRIVATE_KEY: primaryRamp.privateKey,
      SECONDARY_RAMP_API_KEY: secondaryRamp.apiKey,
    },
    ended: universe.ended,
  };
}

type LocalSolana = Awaited<ReturnType<typeof startSolana>>;

const startSolana = (dataDirectory: string) =>
  startSolanaValidator({ dataDirectory, accounts: SOLANA_ACCOUNTS + 1, log: () => undefined });

/** The last of the accounts pays out what Bitcoin deposits bought. */
function startBitcoin({ chains, accounts }: Universe, log: Start['log']) {
  const payer = accounts.at(-1);
  if (payer === undefined) throw new DevnetError('the accounts are incomplete');
  return startBitcoinEmulator({ chains, payerKey: payer.privateKey, prices: EVM_PRICES, log });
}

interface RampChains extends Pick<Universe, 'chains'> {
  readonly solana: LocalSolana;
}

/** The first of the Solana accounts may mint its tokens. */
const startPrimaryRamp = ({ chains, solana: { rpcUrl, tokens, accounts } }: RampChains, { directory, log }: Start) =>
  startPrimaryRampEmulator({
    chains: chains.map(({ ramps, ...chain }) => ({ ...chain, network: ramps.primary })),
    solana: { network: SOLANA_AT_RAMP, rpcUrl, tokens, mintSecretKey: fromBase58(accounts[0]?.secretKey ?? '') },
    stateFile: path.join(directory, 'primary-ramp.json'),
    log,
  });

const startSecondaryRamp = (chains: readonly DevnetChain[], { directory, log }: Start) =>
  startSecondaryRampEmulator({
    chains: chains.map(({ ramps, ...chain }) => ({ ...chain, network: ramps.secondary })),
    stateFile: path.join(directory, 'secondary-ramp.json'),
    log,
  });

/** Stocks are on the first of the chains. */
function startStocks(chains: readonly DevnetChain[], log: Start['log']) {
  const [chain] = chains;
  if (chain === undefined) throw new DevnetError('no chain runs');
  return startStockEmulator({ chain: stockChainOf(chain), log });
}

function startJupiter({ rpcUrl, tokens, accounts }: LocalSolana) {
  return startJupiterEmulator({
    rpcUrl,
    prices: SOLANA_PRICES,
    venueSecretKey: fromBase58(accounts.at(-1)?.secretKey ?? ''),
    tokens: tokens.map(({ address, symbol, decimals }) => ({ mint: address, symbol, decimals })),
  });
}
