import { z } from 'zod';
import { invalidParams } from '../rpc-error';
import { decodedMint, tokenAccountOf, TOKEN_PROGRAMS, uiAmount } from '../token-state';
import {
  accountView,
  accountConfig,
  addressParameter,
  type Methods,
  type Node,
  parameter,
  withContext,
} from './method';

const MAX_ACCOUNTS = 100;
const tokenFilter = z.union([z.object({ mint: z.string() }), z.object({ programId: z.string() })]);

/** What accounts hold. The newest state, whatever the commitment: the chain keeps no older ones. */
export function accountMethods(node: Node): Methods {
  const { bank } = node;
  const respond = (value: unknown) => withContext(node, value);
  return {
    getAccountInfo([address, config]) {
      const state = bank.machine.account(addressParameter(address));
      bank.now();
      return respond(accountView(node, state, parameter(accountConfig, config)));
    },
    getMultipleAccounts([addresses, config]) {
      const wanted = parameter(z.array(z.unknown()), addresses).map(addressParameter);
      if (wanted.length > MAX_ACCOUNTS) {
        throw invalidParams(`Too many inputs provided; max ${MAX_ACCOUNTS}`);
      }
      const options = parameter(accountConfig, { encoding: 'base64', ...(config ?? {}) });
      bank.now();
      return respond(wanted.map((address) => accountView(node, bank.machine.account(address), options)));
    },
    getBalance([address]) {
      const lamports = bank.machine.account(addressParameter(address))?.lamports ?? 0n;
      return respond(Number.parseInt(lamports.toString(), 10));
    },
    getTokenAccountsByOwner([owner, filter, config]) {
      const held = tokenAccountsOf(node, addressParameter(owner), parameter(tokenFilter, filter));
      const options = parameter(accountConfig, config);
      return respond(
        held.map((pubkey) => ({ pubkey, account: accountView(node, bank.machine.account(pubkey), options) })),
      );
    },
    getTokenAccountBalance([address]) {
      const state = bank.machine.account(addressParameter(address));
      const holding = state === undefined ? undefined : tokenAccountOf(bank.machine, state);
      if (state === undefined) throw invalidParams('Invalid param: could not find account');
      if (holding === undefined) throw invalidParams('Invalid param: not a Token account');
      return respond(uiAmount(holding.amount, holding.decimals));
    },
    getTokenSupply([address]) {
      const state = bank.machine.account(addressParameter(address));
      const mint = state === undefined ? undefined : decodedMint(state);
      if (mint === undefined) throw invalidParams('Invalid param: could not find mint');
      return respond(uiAmount(mint.supply, mint.decimals));
    },
    getMinimumBalanceForRentExemption([bytes]) {
      return Number.parseInt(bank.machine.rent(parameter(z.int().nonnegative(), bytes)).toString(), 10);
    },
  };
}

function tokenAccountsOf({ bank }: Node, owner: string, filter: z.infer<typeof tokenFilter>): readonly string[] {
  const mint = 'mint' in filter ? addressParameter(filter.mint) : undefined;
  const program = 'programId' in filter ? addressParameter(filter.programId) : undefined;
  if (mint !== undefined && bank.machine.account(mint) === undefined) {
    throw invalidParams('Invalid param: could not find mint');
  }
  if (program !== undefined && !TOKEN_PROGRAMS.includes(program)) {
    throw invalidParams('Invalid param: unrecognized Token program id');
  }
  return TOKEN_PROGRAMS.filter((known) => program === undefined || known === program)
    .flatMap((known) => bank.machine.accountsOf(known))
    .filter((address) => {
      const state = bank.machine.account(address);
      const holding = state === undefined ? undefined : tokenAccountOf(bank.machine, state);
      return holding?.owner === owner && (mint === undefined || holding.mint === mint);
    });
}
