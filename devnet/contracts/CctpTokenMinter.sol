// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {CctpToken} from "./CctpToken.sol";

/// Mints and burns the local token for the TokenMessenger, with the interface of Circle's TokenMinterV2.
contract CctpTokenMinter {
    event TokenPairLinked(address localToken, uint32 remoteDomain, bytes32 remoteToken);
    event SetBurnLimitPerMessage(address indexed token, uint256 burnLimitPerMessage);

    address public immutable localTokenMessenger;

    mapping(address => uint256) public burnLimitsPerMessage;
    mapping(bytes32 => address) public remoteTokensToLocalTokens;

    modifier onlyLocalTokenMessenger() {
        require(msg.sender == localTokenMessenger, "Caller not local TokenMessenger");
        _;
    }

    constructor(
        address localTokenMessenger_,
        address localToken,
        uint256 burnLimit,
        uint32[] memory remoteDomains,
        bytes32[] memory remoteTokens
    ) {
        require(remoteDomains.length == remoteTokens.length, "Invalid remote domain configuration");
        localTokenMessenger = localTokenMessenger_;
        burnLimitsPerMessage[localToken] = burnLimit;
        emit SetBurnLimitPerMessage(localToken, burnLimit);
        for (uint256 i = 0; i < remoteDomains.length; ++i) {
            remoteTokensToLocalTokens[_key(remoteDomains[i], remoteTokens[i])] = localToken;
            emit TokenPairLinked(localToken, remoteDomains[i], remoteTokens[i]);
        }
    }

    function mint(
        uint32 sourceDomain,
        bytes32 burnToken,
        address recipientOne,
        address recipientTwo,
        uint256 amountOne,
        uint256 amountTwo
    ) external onlyLocalTokenMessenger returns (address mintToken) {
        mintToken = getLocalToken(sourceDomain, burnToken);
        require(mintToken != address(0), "Mint token not supported");
        CctpToken(mintToken).mint(recipientOne, amountOne);
        if (amountTwo > 0) CctpToken(mintToken).mint(recipientTwo, amountTwo);
    }

    /// The tokens must have been transferred to this contract before.
    function burn(address burnToken, uint256 burnAmount) external onlyLocalTokenMessenger {
        uint256 limit = burnLimitsPerMessage[burnToken];
        require(limit > 0, "Burn token not supported");
        require(burnAmount <= limit, "Burn amount exceeds per tx limit");
        CctpToken(burnToken).burn(burnAmount);
    }

    function getLocalToken(uint32 remoteDomain, bytes32 remoteToken) public view returns (address) {
        return remoteTokensToLocalTokens[_key(remoteDomain, remoteToken)];
    }

    function _key(uint32 remoteDomain, bytes32 remoteToken) private pure returns (bytes32) {
        return keccak256(abi.encodePacked(remoteDomain, remoteToken));
    }
}
