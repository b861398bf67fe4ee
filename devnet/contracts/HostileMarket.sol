// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// A market with the functions of a vault, a Pool and a Comet at once, that does what an attacker has told it to: it takes, mints,
/// burns and pays other amounts than it should, leaves tokens with its caller, and makes a call meanwhile.
contract HostileMarket is ERC20 {
    struct Behaviour {
        uint256 takenBps;
        uint256 mintedBps;
        uint256 burntBps;
        uint256 paidBps;
        /// Assets and receipt tokens that the caller gets on top.
        uint256 returned;
        uint256 leaked;
        address target;
        bytes data;
    }

    IERC20 public immutable asset;
    /// Calls that succeeded.
    uint256 public calls;
    Behaviour private behaviour;

    constructor(IERC20 asset_) ERC20("Hostile Market", "HOST") {
        asset = asset_;
    }

    function behave(Behaviour calldata behaviour_) external {
        behaviour = behaviour_;
    }

    function mint(address to, uint256 value) external {
        _mint(to, value);
    }

    function deposit(uint256 assets, address receiver) external returns (uint256) {
        return take(assets, receiver);
    }

    function supply(address, uint256 assets, address receiver, uint16) external {
        take(assets, receiver);
    }

    function supplyTo(address receiver, address, uint256 assets) external {
        take(assets, receiver);
    }

    function redeem(uint256 shares, address to, address owner) external returns (uint256) {
        return pay(shares, to, owner);
    }

    function withdraw(uint256 assets, address to, address owner) external returns (uint256) {
        return pay(assets, to, owner);
    }

    function withdraw(address, uint256, address to) external returns (uint256) {
        return pay(balanceOf(msg.sender), to, msg.sender);
    }

    function withdrawFrom(address src, address to, address, uint256 amount) external {
        pay(amount == type(uint256).max ? balanceOf(src) : amount, to, src);
    }

    function take(uint256 assets, address receiver) private returns (uint256) {
        asset.transferFrom(msg.sender, address(this), (assets * behaviour.takenBps) / 10_000);
        _mint(receiver, (assets * behaviour.mintedBps) / 10_000);
        misbehave();
        return assets;
    }

    function pay(uint256 assets, address to, address owner) private returns (uint256) {
        _burn(owner, (assets * behaviour.burntBps) / 10_000);
        asset.transfer(to, (assets * behaviour.paidBps) / 10_000);
        misbehave();
        return assets;
    }

    function misbehave() private {
        if (behaviour.returned != 0) asset.transfer(msg.sender, behaviour.returned);
        if (behaviour.leaked != 0) _mint(msg.sender, behaviour.leaked);
        if (behaviour.target == address(0)) return;
        (bool isDone,) = behaviour.target.call(behaviour.data);
        if (isDone) calls += 1;
    }
}
