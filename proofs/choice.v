(* What the two mechanisms of choice have in common: integer scores, their width, and the check of a line's scale. *)
From Coq Require Import Reals ZArith List Lia Lra Psatz.
From Hedgerow Require Import sums law.
Import ListNotations.
Open Scope R_scope.

(* Costs are integers in units of 2^-40. *)
Definition unit : R := IZR (2 ^ 40).
Definition value (cost : Z) : R := IZR cost / unit.

Lemma unit_positive : 0 < unit.
Proof. apply IZR_lt. lia. Qed.

(* The candidates are 0 .. n-1; u and u' are their scores in two neighbouring data sets. *)
Definition has_width (n : nat) (u u' : nat -> Z) (width : Z) : Prop :=
  forall r s, (r < n)%nat -> (s < n)%nat -> ((u' r - u r) - (u' s - u s) <= width)%Z.

Lemma has_width_sym n u u' width : has_width n u u' width -> has_width n u' u width.
Proof. intros H r s Hr Hs. specialize (H s r Hs Hr). lia. Qed.

(* hr_exponential_covers in a gate of pure epsilon: den is width 2^j, and num 2^(40-j) units are paid for. *)
Definition covers (cost num den width : Z) : Prop :=
  (0 < num /\ 0 < width)%Z /\
  exists j, (0 <= j <= 40 /\ den = width * 2 ^ j /\ num * 2 ^ (40 - j) <= cost)%Z.

Definition scale (num den : Z) : R := IZR num / IZR den.

Lemma covers_positive cost num den width : covers cost num den width -> (0 < den)%Z.
Proof. intros [[_ Hw] (j & Hj & -> & _)]. apply Z.mul_pos_pos; [lia|]. apply Z.pow_pos_nonneg; lia. Qed.

Lemma scale_positive cost num den width : covers cost num den width -> 0 < scale num den.
Proof.
  intros H. pose proof (covers_positive _ _ _ _ H) as Hd. destruct H as [[Hn _] _].
  apply Rdiv_lt_0_compat; now apply IZR_lt.
Qed.

Lemma covers_cost cost num den width :
  covers cost num den width -> scale num den * IZR width <= value cost.
Proof.
  intros H. pose proof (covers_positive _ _ _ _ H) as Hd. destruct H as [[Hn Hw] (j & Hj & -> & Hc)].
  unfold scale, value. assert (Hsplit : (2 ^ 40 = 2 ^ (40 - j) * 2 ^ j)%Z).
  { rewrite <- Z.pow_add_r; [f_equal|..]; lia. }
  assert (Hp : (0 < 2 ^ j)%Z) by (apply Z.pow_pos_nonneg; lia).
  assert (Hq : (0 < 2 ^ (40 - j))%Z) by (apply Z.pow_pos_nonneg; lia).
  unfold unit. rewrite Hsplit, !mult_IZR. apply IZR_lt in Hw, Hp, Hq. apply IZR_le in Hc. rewrite mult_IZR in Hc.
  replace (IZR num / (IZR width * IZR (2 ^ j)) * IZR width)
    with (IZR num * IZR (2 ^ (40 - j)) * / (IZR (2 ^ (40 - j)) * IZR (2 ^ j))) by (field; lra).
  apply Rmult_le_compat_r; [|exact Hc]. left. apply Rinv_0_lt_compat. now apply Rmult_lt_0_compat.
Qed.

(* hr_exponential_scale in a gate of pure epsilon: for any number j <= 40 of bits that the width leaves room for. *)
Lemma scale_covers cost width j :
  (0 < width)%Z -> (0 <= j <= 40)%Z -> (2 ^ (40 - j) <= cost)%Z ->
  covers cost (cost / 2 ^ (40 - j)) (width * 2 ^ j) width.
Proof.
  intros Hw Hj Hc. assert (Hq : (0 < 2 ^ (40 - j))%Z) by (apply Z.pow_pos_nonneg; lia). split; [split; [|lia]|].
  - apply Z.div_str_pos. lia.
  - exists j. repeat split; try lia. pose proof (Z.mul_div_le cost _ Hq). lia.
Qed.
