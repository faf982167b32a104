(* The theorems said of numbers: each can be used as it is stated, and none of its bounds could be smaller. A hypothesis
   that nothing meets, or a bound that grew, is seen here. *)
From Coq Require Import Reals ZArith List Lia Lra Arith.
From Hedgerow Require Import sums law choice exponential permute_and_flip laplace account running_total composition
  hedge_scores.
Import ListNotations.
Open Scope R_scope.

Lemma value_of_unit : value (2 ^ 40) = 1.
Proof. unfold value, unit. field. apply not_0_IZR. lia. Qed.

(* ---- A count, in units of 1/64, at epsilon 1 ---- *)

Example count_private q :
  private 1 (noisy_sums (64 * 2 ^ 40) (2 ^ 40) [q]) (noisy_sums (64 * 2 ^ 40) (2 ^ 40) [(q + 64)%Z]).
Proof.
  rewrite <- value_of_unit. apply laplace_private with (sensitivity := 64%Z).
  - now apply laplace_scale_covers.
  - reflexivity.
  - cbn. lia.
Qed.

Example count_attained q :
  laplace (64 * 2 ^ 40) (2 ^ 40) q q = exp 1 * laplace (64 * 2 ^ 40) (2 ^ 40) (q + 64) q.
Proof.
  unfold laplace. rewrite !ratio_power by lia. replace (Z.abs_nat (q - q)) with 0%nat by lia.
  replace (Z.abs_nat (q - (q + 64))) with 64%nat by lia. unfold inverse_scale.
  replace (INR 64 * (IZR (2 ^ 40) / IZR (64 * 2 ^ 40))) with 1.
  - rewrite (Rmult_comm (exp 1)), Rmult_assoc, <- exp_plus.
    replace (- (1) + 1) with (- (INR 0 * (IZR (2 ^ 40) / IZR (64 * 2 ^ 40)))) by (cbn; lra).
    reflexivity.
  - rewrite mult_IZR. replace (INR 64) with 64 by (cbn; lra). field. apply not_0_IZR. lia.
Qed.

(* ---- A choice of width 6, at epsilon 1 ---- *)

Definition even (r : nat) : Z := 0%Z.
Definition second_worse (r : nat) : Z := if Nat.eqb r 1 then (-6)%Z else 0%Z.

Lemma six_covers : covers (2 ^ 40) (2 ^ 40) (6 * 2 ^ 40) 6.
Proof. split; [lia|]. exists 40%Z. repeat split; lia || reflexivity || discriminate. Qed.

Lemma six_width : has_width 2 even second_worse 6.
Proof. intros r s _ _. unfold even, second_worse. destruct (Nat.eqb r 1), (Nat.eqb s 1); lia. Qed.

Lemma six_scale : scale (2 ^ 40) (6 * 2 ^ 40) * 6 = 1.
Proof. unfold scale. rewrite mult_IZR. field. apply not_0_IZR. lia. Qed.

Example flips_private :
  private 1 (permute_and_flip 2 (scale (2 ^ 40) (6 * 2 ^ 40)) even) (permute_and_flip 2 (scale (2 ^ 40) (6 * 2 ^ 40))
    second_worse).
Proof. rewrite <- value_of_unit. apply permute_and_flip_private with (width := 6%Z);
  [lia|exact six_covers|exact six_width]. Qed.

Example exponential_choice_private :
  private 1 (exponential 2 (scale (2 ^ 40) (6 * 2 ^ 40)) even) (exponential 2 (scale (2 ^ 40) (6 * 2 ^ 40)) second_worse).
Proof. rewrite <- value_of_unit. apply exponential_private with (width := 6%Z); [lia|exact six_covers|exact six_width]. Qed.

(* The second of two equal candidates, which then falls by the width: half the width would not do. *)
Example flips_attained k :
  permute_and_flip 2 k even 1 = / 2 /\ permute_and_flip 2 k second_worse 1 = / 2 * exp (- (k * 6)).
Proof.
  unfold permute_and_flip. cbn [seq first_taken sum fold_right remove length]. unfold coin, best, even, second_worse.
  cbn. rewrite Rmult_0_r, Ropp_0, exp_0. split; field.
Qed.

(* ---- Scores of hedge: two trees of one leaf; the record makes one score larger and the other smaller, each by G ---- *)

Definition gradient (t : nat) (x : Z) : vector := fun _ => if Nat.eqb t 0 then Z.abs x else x.
Definition scores : list Z -> nat -> Z := candidate_score 1 (fun _ => 1%nat) 0 (fun _ _ => 0%nat) gradient.

Example scores_width : has_width 2 (scores [-8192]%Z) (scores [-8192; 8192]%Z) (2 * 8192).
Proof.
  apply (hedge_scores_width 1 (fun _ => 1%nat) 0 (fun _ _ => 0%nat) gradient [(-8192)%Z] [] 8192%Z); [lia|].
  intros t _. split; [lia|]. unfold gradient, square, dot. destruct (Nat.eqb t 0); vm_compute; discriminate.
Qed.

Example scores_attained :
  ((scores [-8192; 8192] 0 - scores [-8192] 0) - (scores [-8192; 8192] 1 - scores [-8192] 1) = 2 * 8192)%Z.
Proof. vm_compute. reflexivity. Qed.

Example hedge_choice : let num := (2 ^ 40)%Z in let den := (2 * 8192 * 2 ^ 40)%Z in
  private 1 (permute_and_flip 2 (scale num den) (scores [-8192]%Z)) (permute_and_flip 2 (scale num den) (scores [-8192;
    8192]%Z)).
Proof.
  intros num den. rewrite <- value_of_unit.
  apply (hedge_choice_private 1 (fun _ => 1%nat) 0 (fun _ _ => 0%nat) gradient [(-8192)%Z] [] 8192%Z 8192%Z); [lia|lia| |].
  - split; [lia|]. exists 40%Z. repeat split; lia || reflexivity || discriminate.
  - intros t _. split; [lia|]. unfold gradient, square, dot. destruct (Nat.eqb t 0); vm_compute; discriminate.
Qed.

(* ---- An account: a group of two parts, one of which has two lines, and a group of one ---- *)

Definition released : list entry :=
  [{| at_group := 2; at_part := 0; units := 5 |}; {| at_group := 1; at_part := 0; units := 4 |};
   {| at_group := 1; at_part := 1; units := 6 |}; {| at_group := 1; at_part := 0; units := 3 |}].

Example account_of_released : account key cost released = 12.
Proof.
  destruct (running_total_is_account released {| at_group := 0; at_part := 0; units := 0 |}) as [E _].
  - intros a Ha. cbn in Ha. intuition (subst; cbn; lia).
  - rewrite <- E. reflexivity.
Qed.

Example one_record_of_released :
  sum cost (filter (fun e => moved 0 (fun _ _ => 0%nat) (key e)) released) = 12.
Proof. cbn. unfold cost. cbn. lra. Qed.

(* ---- Two releases of a count ---- *)

Lemma count_law q : is_law (laplace (64 * 2 ^ 40) (2 ^ 40) q).
Proof. apply laplace_is_law; lia. Qed.

Lemma count_moved q : private 1 (laplace (64 * 2 ^ 40) (2 ^ 40) q) (laplace (64 * 2 ^ 40) (2 ^ 40) (q + 64)).
Proof.
  assert (H : forall a b, Z.abs (a - b) = 64%Z ->
    within 1 (laplace (64 * 2 ^ 40) (2 ^ 40) a) (laplace (64 * 2 ^ 40) (2 ^ 40) b)).
  { intros a b Hab. apply pointwise_within. intros y.
    pose proof (laplace_moved (64 * 2 ^ 40) (2 ^ 40) ltac:(lia) ltac:(lia) a b y) as Hm. rewrite Hab in Hm.
    replace (IZR 64 * inverse_scale (64 * 2 ^ 40) (2 ^ 40)) with 1 in Hm; [exact Hm|].
    unfold inverse_scale. rewrite mult_IZR. field. apply not_0_IZR. lia. }
  split; apply H; lia.
Qed.

Example in_sequence :
  private 2 (run (fun _ => laplace (64 * 2 ^ 40) (2 ^ 40) 7) 2 []) (run (fun _ => laplace (64 * 2 ^ 40) (2 ^ 40) (7 + 64))
    2 []).
Proof.
  replace 2 with (sum (fun e => e) [1; 1]) by (cbn; lra).
  apply (sequential_composition Z.eq_dec [1; 1]); try (intros; apply count_law).
  intros past Hp. cbn [length] in Hp. destruct (length past) as [|[|m]]; [apply count_moved..|lia].
Qed.

(* ---- A gate: counts of the two parts of a group; a coin says which part the record is in; the budget is that of one ---- *)

Definition lines_of_parts (past : list Z) : line * R := ({| owner := 0; group := 1; part := length past |}, 1).
Definition with_record (coin : nat) (past : list Z) : Z -> R :=
  laplace (64 * 2 ^ 40) (2 ^ 40) (if (length past =? coin)%nat then 7 + 64 else 7).

Example gate_of_two_parts :
  private 1 (mixture (fun _ => / 2) [0%nat; 1%nat] (fun _ => run (fun _ => laplace (64 * 2 ^ 40) (2 ^ 40) 7) 2 []))
    (mixture (fun _ => / 2) [0%nat; 1%nat] (fun coin => run (with_record coin) 2 [])).
Proof.
  apply (gate_private Z.eq_dec (fun _ => / 2) [0%nat; 1%nat] lines_of_parts (fun _ => 0%nat) (fun coin _ _ => coin) 2 1
    (fun _ _ => laplace (64 * 2 ^ 40) (2 ^ 40) 7) with_record).
  - intros _. lra.
  - intros coin _. constructor.
    + intros past. apply count_law.
    + intros past. apply count_law.
    + intros past. cbn. lra.
    + intros past H y. unfold with_record. unfold moved, in_parts, of_owner in H. cbn in H.
      destruct (length past =? coin)%nat; [discriminate H|reflexivity].
    + intros past H. unfold with_record. unfold moved, in_parts, of_owner in H. cbn in H.
      destruct (length past =? coin)%nat; [apply count_moved|discriminate H].
    + intros ys H. destruct ys as [|a [|b [|c ys]]]; try discriminate.
      unfold account, owner_cost, group_cost, part_cost. cbn. unfold part_cost. cbn. unfold Rmax.
      repeat match goal with |- context [Rle_dec ?x ?y] => destruct (Rle_dec x y) end; lra.
Qed.
