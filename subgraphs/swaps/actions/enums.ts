import { registerEnumType } from 'type-graphql';
import { ACTION_TYPES } from '../../../src/transactions/action-plan';
import { ACTION_SORT_FIELDS } from '../../../src/actions/wallet-history';
import { SUBSTATUSES } from '../../../src/actions/state/substatus';
import { namedEnum } from '../../schema/named-enum';

export const ActionStatusEnum = namedEnum(['INITIAL', 'PENDING', 'FAILED', 'REFUNDED', 'SUCCESS']);
registerEnumType(ActionStatusEnum, {
  name: 'ActionStatus',
  description: 'Status of an action.',
  valuesConfig: {
    INITIAL: { description: 'Created; no transaction of it was found yet.' },
    PENDING: { description: 'Its origin transaction was found.' },
    SUCCESS: { description: 'All transactions are final and the output has arrived.' },
    FAILED: {
      description:
        'A transaction reverted, the provider failed, too little arrived, or it expired. When nothing was moved, a later transaction may still execute it for a week.',
    },
    REFUNDED: { description: 'The refund is final on its chain, or the provider reported it.' },
  },
});

export const SUBSTATUS_DESCRIPTION =
  'Detail of the status: the next expected event, or the reason of the end. One of ' +
  `${SUBSTATUSES.map((name) => `\`${name}\``).join(', ')}.`;

export const ActionTypeEnum = namedEnum(ACTION_TYPES);
registerEnumType(ActionTypeEnum, {
  name: 'ActionType',
  description: 'Type of an action.',
  valuesConfig: {
    SAMECHAIN_SWAP: { description: 'Swaps tokens on one chain.' },
    CROSSCHAIN_SWAP: { description: 'Swaps tokens between two chains, or moves a token from one chain to another.' },
    TRANSFER_OUT: { description: 'Sends a token to another wallet.' },
    TRANSFER_IN: { description: 'Receives a token from another wallet.' },
    ON_RAMP_FIAT: { description: 'Converts fiat money into a token.' },
    OFF_RAMP_FIAT: { description: 'Converts a token into fiat money.' },
    SAMECHAIN_INVESTMENT_DEPOSIT: { description: 'Deposits a token into a strategy on the same chain.' },
    SAMECHAIN_INVESTMENT_WITHDRAW: { description: 'Withdraws a token from a strategy on the same chain.' },
    CROSSCHAIN_INVESTMENT_DEPOSIT: {
      description: 'Moves a token from another chain, and deposits it into a strategy.',
    },
    CROSSCHAIN_INVESTMENT_WITHDRAW: {
      description: 'Withdraws a token from a strategy, and moves it to another chain.',
    },
    SMART_ACCOUNT_DEPLOYMENT: { description: 'Deploys a smart account.' },
    REWARD_CLAIM: { description: 'Claims a reward of a strategy.' },
    FEE_COLLECTION: { description: 'Collects fees.' },
  },
});

export const ActionSortFieldEnum = namedEnum(ACTION_SORT_FIELDS);
registerEnumType(ActionSortFieldEnum, {
  name: 'ActionSortField',
  description: 'Field that a list of actions is sorted by.',
  valuesConfig: {
    createdAt: { description: 'Time of creation.' },
    updatedAt: { description: 'Time of the last change.' },
    finishedAt: { description: 'Time at which the action ended.' },
  },
});

export const SortOrderEnum = namedEnum(['asc', 'desc']);
registerEnumType(SortOrderEnum, {
  name: 'SortOrder',
  description: 'Sort order.',
  valuesConfig: { asc: { description: 'Oldest first.' }, desc: { description: 'Newest first.' } },
});
