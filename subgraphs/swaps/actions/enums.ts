import { registerEnumType } from 'type-graphql';
import { ACTION_TYPES } from '../../../src/transactions/action-plan';
import { ACTION_SORT_FIELDS } from '../../../src/actions/list-actions';

/** GraphQL enums are objects in type-graphql. */
const named = <Name extends string>(names: readonly Name[]): Readonly<Record<Name, Name>> =>
  Object.fromEntries(names.map((name) => [name, name])) as Record<Name, Name>;

export const ActionStatusEnum = named(['INITIAL', 'PENDING', 'FAILED', 'REFUNDED', 'SUCCESS']);
registerEnumType(ActionStatusEnum, {
  name: 'ActionStatus',
  description: 'How far an action is.',
  valuesConfig: {
    INITIAL: { description: 'Handed out; nothing of it was seen yet.' },
    PENDING: { description: 'Its origin transaction was seen.' },
    SUCCESS: { description: 'Everything is final.' },
    FAILED: { description: 'It reverted, expired, or was given up.' },
    REFUNDED: { description: 'What was sent came back, or is on its way.' },
  },
});

export const ActionTypeEnum = named(ACTION_TYPES);
registerEnumType(ActionTypeEnum, {
  name: 'ActionType',
  description: 'What an action does.',
  valuesConfig: {
    SAMECHAIN_SWAP: { description: 'Swaps tokens on one chain.' },
    CROSSCHAIN_SWAP: { description: 'Swaps tokens of two chains, or moves one from the one to the other.' },
    TRANSFER_OUT: { description: 'Sends a token to somebody.' },
    TRANSFER_IN: { description: 'Receives a token from somebody.' },
    ON_RAMP_FIAT: { description: 'Turns money at a bank into a token.' },
    OFF_RAMP_FIAT: { description: 'Turns a token into money at a bank.' },
    SAMECHAIN_INVESTMENT_DEPOSIT: { description: 'Puts a token of its chain into a strategy.' },
    SAMECHAIN_INVESTMENT_WITHDRAW: { description: 'Takes a token out of a strategy, on its chain.' },
    CROSSCHAIN_INVESTMENT_DEPOSIT: { description: 'Puts a token of another chain into a strategy.' },
    CROSSCHAIN_INVESTMENT_WITHDRAW: { description: 'Takes a token out of a strategy, to another chain.' },
    SMART_ACCOUNT_DEPLOYMENT: { description: 'Deploys a smart account.' },
    FEE_COLLECTION: { description: 'Collects fees.' },
  },
});

export const ActionSortFieldEnum = named(ACTION_SORT_FIELDS);
registerEnumType(ActionSortFieldEnum, {
  name: 'ActionSortField',
  description: 'What a list of actions is sorted by.',
  valuesConfig: {
    createdAt: { description: 'When they were created.' },
    updatedAt: { description: 'When they changed last.' },
    finishedAt: { description: 'When they ended.' },
  },
});

export const SortOrderEnum = named(['asc', 'desc']);
registerEnumType(SortOrderEnum, {
  name: 'SortOrder',
  description: 'Which end of a list comes first.',
  valuesConfig: { asc: { description: 'The oldest first.' }, desc: { description: 'The newest first.' } },
});
