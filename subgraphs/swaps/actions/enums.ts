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
registerEnumType(ActionTypeEnum, { name: 'ActionType', description: 'What an action does.' });

export const ActionSortFieldEnum = named(ACTION_SORT_FIELDS);
registerEnumType(ActionSortFieldEnum, { name: 'ActionSortField', description: 'What a list of actions is sorted by.' });

export const SortOrderEnum = named(['asc', 'desc']);
registerEnumType(SortOrderEnum, { name: 'SortOrder' });
