// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {FaucetToken} from "./FaucetToken.sol";

/// A token that makes calls before each transfer by allowance, as an attacker has told it to.
contract ReentrantToken is FaucetToken {
    address private target;
    bytes private call_;
    bool private isCalling;

    constructor() FaucetToken("Reentrant Token", "RE", 6) {}

    function attack(address target_, bytes calldata data) external {
        (target, call_) = (target_, data);
    }

    /// Any call in the name of the token, with which the attacker prepares.
    function execute(address to, bytes calldata data) external {
        (bool isDone,) = to.call(data);
        require(isDone, "the preparation failed");
    }

    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        if (target != address(0) && !isCalling) {
            isCalling = true;
            (bool isDone,) = target.call(call_);
            isCalling = false;
            require(isDone, "the attack failed");
        }
        return super.transferFrom(from, to, value);
    }
}
