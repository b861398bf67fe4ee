// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// The accounts that the issuer of tokenized stocks knows. Only these may mint and redeem.
contract StockIdRegistry {
    address public immutable owner = msg.sender;
    mapping(address account => bytes32) public idOf;

    error NotOwner();

    function register(address account, bytes32 userId) external {
        if (msg.sender != owner) revert NotOwner();
        idOf[account] = userId;
    }
}
